/** Terminating an instance, by several attempts, while its lifecycle hook keeps it running. */
import { expect, test } from 'vitest';
import { bind } from '../simulator/kubernetes.ts';
import { newPod } from '../simulator/pods.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { excludeLabel, openScene } from './leaving-nodes.ts';

const hookMs = 5 * 60_000;

/** A node that has been emptied, of a pool with a lifecycle hook. */
async function openEmpty() {
  const scene = await openScene(1);
  const { world, activities, attempt, leaving, inputOf, evict } = scene;
  const [node] = leaving;
  const [pool] = world.pools;
  if (node === undefined || pool === undefined) throw new Error('no node');
  Object.assign(pool, { terminationHookMs: hookMs, minSize: 0 });
  await evict(node);
  const deregisteredAt = world.clock.now();
  await attempt('endpoints', async () => await activities.removeEndpoints({ ...inputOf(node, 4), deregisteredAt }));
  await attempt('forwarded', async () => await world.clock.sleep(10 * 60_000));
  return { ...scene, node };
}

test.each([
  ['nothing else has happened', false],
  ['a pod has come to it', true],
])('an aborted run waits for the end of an instance that it has had terminated, where %s', async (_what, hasPod) => {
  const { world, activities, attempt, node, inputOf } = await openEmpty();
  const lost = new MockActivityEnvironment({ attempt: 1 });
  world.clock.at(world.clock.now() + 60_000, () => lost.cancel());
  const terminate = async (isAborted: boolean, environment?: MockActivityEnvironment) =>
    await attempt(
      'terminate',
      async () => await activities.terminateNode({ ...inputOf(node, 5), isAborted }),
      environment,
    );
  await expect(terminate(false, lost)).rejects.toThrow();
  const web = world.workloads.find(({ name }) => name === 'web');
  if (hasPod && web !== undefined) {
    const pod = newPod(world, web);
    world.pods.push(pod);
    bind(world, pod, node);
  }

  const outcome = await terminate(true);
  world.clock.stop();
  expect(outcome).not.toHaveProperty('restoredBecause');
  expect(outcome).toMatchObject({ outcome: 'done', evidence: [{ kind: 'terminated' }, { kind: 'node-deleted' }] });
  expect(node.labels).toHaveProperty(excludeLabel);
  expect(world.terminations.get(node.instanceId)).toBe(1);
});

test('an aborted run has no instance terminated that it has not', async () => {
  const { world, activities, attempt, node, inputOf } = await openEmpty();
  const outcome = await attempt('terminate', async () =>
    activities.terminateNode({ ...inputOf(node, 5), isAborted: true }),
  );
  world.clock.stop();
  expect(outcome).toMatchObject({ outcome: 'done', restoredBecause: expect.stringContaining('still runs') });
  expect(world.terminations.size).toBe(0);
});
