/** Admission that does not let a run remove the label by which Services select a pod. */
import { describe, expect, test } from 'vitest';
import { serviceNamed } from '../simulator/disturbances.ts';
import { targetPods } from '../simulator/pod-targets.ts';
import type { World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import type { PolicyChange } from '../support/upgrade-of.ts';
import { openScene } from './leaving-nodes.ts';

const says = 'admission webhook "validate.kyverno.svc-fail" denied the request: label app is required';

/** One node that leaves, on which admission protects the labels of that workload. */
async function openDenied(workload: string, change: PolicyChange = {}, prepare?: (world: World) => void) {
  const scene = await openScene(1, change, prepare);
  const [node] = scene.leaving;
  if (node === undefined) throw new Error('no node leaves');
  scene.world.denials.push({ workload, what: 'remove-endpoints', says });
  return { ...scene, node };
}

const podsOn = (world: World, name: string) =>
  world.pods.filter((pod) => pod.node === name && pod.of !== 'agent').map(({ of }) => of);

test('a pod whose labels may not be removed is evicted as an endpoint, and the others as always', async () => {
  const { world, node, evict } = await openDenied('web');
  const result = await evict(node);
  world.clock.stop();
  expect(result).toMatchObject({ outcome: 'done' });
  expect(result).toHaveProperty('unprotected', [
    expect.stringMatching(
      /^pod default\/web-\S+ left while default\/web listed it: its labels may not be removed: .*is required$/,
    ),
  ]);
  expect(world.log.filter((line) => /pod web-\d+ .*removed from endpoints/.test(line))).toEqual([]);
  expect(world.log.filter((line) => /pod api-\d+ .*removed from endpoints/.test(line))).toHaveLength(1);
});

test('a DaemonSet pod whose labels may not be removed is deleted, and that is reported', async () => {
  const { world, node, evict, attempt, activities, inputOf } = await openDenied('agent');
  expect(await evict(node)).toMatchObject({ outcome: 'done' });
  const input = { ...inputOf(node, 4), deregisteredAt: world.clock.now() };
  const result = await attempt('endpoints', async () => await activities.removeEndpoints(input));
  world.clock.stop();
  expect(result).toMatchObject({ outcome: 'done' });
  expect(result).toHaveProperty('unprotected', [
    expect.stringMatching(
      /^pod default\/agent-\S+ left while it was an endpoint: its labels may not be removed: .*is required$/,
    ),
  ]);
});

describe('where load balancers send to the pod itself', () => {
  const webIsTarget = (world: World) => {
    const web = serviceNamed(world, 'web');
    web.connectionDrainMs = 10_000;
    targetPods(web);
  };

  test('it is named with the webhook and the ways out while the others leave, and leaves once it may', async () => {
    const { world, node, attempt, activities, inputOf } = await openDenied('web', {}, webIsTarget);
    const reasons: string[] = [];
    let left: readonly string[] = [];
    const environment = new MockActivityEnvironment({ activityId: node.name });
    const until = world.clock.now() + 50_000;
    environment.on('heartbeat', ({ reason }: { readonly reason: string }) => {
      reasons.push(reason);
      if (world.clock.now() < until || world.denials.length === 0) return;
      left = podsOn(world, node.name);
      world.denials = [];
    });
    const result = await attempt('evict', async () => await activities.evictPods(inputOf(node, 3)), environment);
    world.clock.stop();
    expect(left).toEqual(['web']);
    expect(reasons).toContainEqual(
      expect.stringMatching(
        /default\/web-\S+: k8s-default-web sends to it, and its labels may not be removed: .*is required. Exempt .*, or delete the pod/,
      ),
    );
    expect(result).toMatchObject({ outcome: 'done', unprotected: [] });
    expect(world.traffic).toMatchObject({ lost: 0, cut: 0 });
  });

  test('a DaemonSet pod is not deleted, and named', async () => {
    const scene = await openDenied('agent', {}, (world) => {
      const agent = serviceNamed(world, 'agent');
      agent.type = 'LoadBalancer';
      agent.connectionDrainMs = 10_000;
      targetPods(agent);
    });
    const { world, node, evict, attempt, activities, inputOf } = scene;
    await evict(node);
    const { policy, ...step } = inputOf(node, 4);
    const { waits } = policy;
    const hasty = { ...policy, waits: { ...waits, deadlines: { ...waits.deadlines, endpointRemovalMs: 20_000 } } };
    const input = { ...step, policy: hasty, deregisteredAt: world.clock.now() };
    const result = await attempt('endpoints', async () => await activities.removeEndpoints(input));
    world.clock.stop();
    const message = expect.stringMatching(
      /default\/agent-\S+: k8s-default-agent sends to it, and its labels may not be/,
    );
    expect(result).toMatchObject({ outcome: 'failed', problem: { message } });
    expect(world.pods.some((pod) => pod.node === node.name && pod.of === 'agent')).toBe(true);
  });

  test('it is evicted where its Service may be unprotected', async () => {
    const guard = { acceptUnprotected: ['default/web'] };
    const { world, node, evict } = await openDenied('web', { guard }, webIsTarget);
    const result = await evict(node);
    world.clock.stop();
    expect(result).toMatchObject({ outcome: 'done' });
    expect(result).toHaveProperty('unprotected', [
      expect.stringMatching(
        /^pod default\/web-\S+ left while k8s-default-web sent to it: its labels may not be removed: /,
      ),
    ]);
  });
});
