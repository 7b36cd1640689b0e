/** Steps of a node that is gone, while another one has its name: its VM was created again, or its instance has registered anew. */
import { expect, test } from 'vitest';
import type { NodeStepInput } from '../../activities/node-step.ts';
import type { Outcome } from '../../activities/polling.ts';
import { openScene } from './leaving-nodes.ts';
import { type Activities, createActivities } from './lock-pool.ts';

/** A node that was excluded, and its successor, which serves. */
async function openSucceeded() {
  const scene = await openScene(1);
  const { world, ports, leaving } = scene;
  const [node] = leaving;
  if (node === undefined) throw new Error('no node');
  const before = await ports.cluster.observe();
  const succeed = () => {
    const successor = { ...node, uid: 'uid-of-another', labels: {}, annotations: {}, taints: [], cordoned: false };
    world.nodes = world.nodes.map((one) => (one === node ? successor : one));
    world.changed();
    return successor;
  };
  const podsLeft = () =>
    world.pods.filter((pod) => pod.node === node.name && !pod.terminating && !pod.endpointsRemoved);
  return { ...scene, node, before, succeed, podsLeft };
}

test.each<[string, (activities: Activities, input: NodeStepInput, now: number) => Promise<Outcome<object>>]>([
  ['awaitDeregistered', async (steps, input, now) => await steps.awaitDeregistered({ ...input, excludedAt: now })],
  [
    'awaitConnectionsDrained',
    async (steps, input, now) => await steps.awaitConnectionsDrained({ ...input, deregisteredAt: now }),
  ],
  ['evictPods', async (steps, input) => await steps.evictPods(input)],
  [
    'awaitReplacements',
    async (steps, input) => await steps.awaitReplacements({ ...input, before: { 'default/web': 99 } }),
  ],
  ['removeEndpoints', async (steps, input, now) => await steps.removeEndpoints({ ...input, deregisteredAt: now })],
  ['confirmEmpty', async (steps, input) => await steps.confirmEmpty(input)],
  ['terminateNode', async (steps, input) => await steps.terminateNode({ ...input, isAborted: false })],
  ['terminateNode of an aborted run', async (steps, input) => await steps.terminateNode({ ...input, isAborted: true })],
])('%s ends at once, and leaves its successor alone', async (_step, act) => {
  const { world, activities, attempt, node, inputOf, succeed, podsLeft } = await openSucceeded();
  const successor = succeed();
  world.clock.advance(3 * 60_000);
  const pods = podsLeft();
  const began = world.clock.now();
  const outcome = await attempt('step', async () => await act(activities, inputOf(node, 3), began));
  const tookMs = world.clock.now() - began;
  world.clock.stop();
  expect(outcome).toMatchObject({
    outcome: 'done',
    evidence: [{ detail: `${node.name} is gone: another node has its name` }],
  });
  expect(outcome).not.toHaveProperty('restoredBecause');
  expect(outcome).not.toHaveProperty('reregistered');
  expect(tookMs).toBeLessThan(1_000);
  expect(podsLeft()).toEqual(pods);
  expect(world.terminations.size).toBe(0);
  expect(successor).toMatchObject({ cordoned: false, labels: {}, annotations: {}, taints: [] });
});

test('no pod is moved while an observation still shows the node that is gone', async () => {
  const { world, ports, attempt, node, before, inputOf, succeed, podsLeft } = await openSucceeded();
  // Its successor is no target yet, so that only its UID tells them apart.
  world.faults.controllersFrozen = true;
  succeed();
  const pods = podsLeft();
  let isLate = true;
  world.clock.at(world.clock.now() + 20_000, () => {
    isLate = false;
  });
  const observe = async () => {
    const facts = await ports.cluster.observe();
    return isLate ? { ...facts, nodes: before.nodes } : facts;
  };
  const activities = createActivities({ ...ports, cluster: { ...ports.cluster, observe } });
  const outcome = await attempt('evict', async () => await activities.evictPods(inputOf(node, 3)));
  world.clock.stop();
  expect(outcome).toMatchObject({ outcome: 'done', evidence: [{ detail: expect.stringContaining('another node') }] });
  expect(podsLeft()).toEqual(pods);
});
