import { describe, expect, test } from 'vitest';
import type { EvictionOutcome } from '../../ports/cluster/pod-actions.ts';
import type { Ports } from '../../ports/ports.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';
import type { SimNode, World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { exclude, excludeLabel, hangingAt, openScene } from './leaving-nodes.ts';
import { createActivities, run } from './lock-pool.ts';

/** What is asked of load balancers (with the age that is new enough) and done to pods, in order. */
function listen(ports: Ports) {
  const events: { readonly what: string; readonly since?: number | undefined }[] = [];
  const loadBalancers: Ports['loadBalancers'] = {
    discover: async (...args) => await ports.loadBalancers.discover(...args),
    readTargets: async (groups, options) => {
      events.push({ what: 'read', since: options?.since });
      return await ports.loadBalancers.readTargets(groups, options);
    },
  };
  const cluster: Ports['cluster'] = {
    ...ports.cluster,
    removeEndpoints: async (pod, labels, by) => {
      events.push({ what: `remove endpoints ${pod.name}` });
      return await ports.cluster.removeEndpoints(pod, labels, by);
    },
    evict: async (pod, options) => {
      if (!options.dryRun) events.push({ what: `evict ${pod.name}` });
      return await ports.cluster.evict(pod, options);
    },
    taintDisrupted: async (one, by) => {
      events.push({ what: 'taint' });
      return await ports.cluster.taintDisrupted(one, by);
    },
  };
  return { events, ports: { ...ports, loadBalancers, cluster } };
}

const uidsOn = (world: World, node: SimNode | undefined) =>
  world.pods.filter((pod) => pod.node === node?.name && pod.endpointsRemoved === undefined).map(({ uid }) => uid);

test('load balancers are read before pods leave their endpoints, once for a round, and not again before they are evicted', async () => {
  const { world, ports, leaving, evict } = await openScene(1);
  const [node] = leaving;
  if (node === undefined) throw new Error('no node leaves');
  const { events, ports: heard } = listen(ports);
  await evict(node, createActivities(heard));
  world.clock.stop();

  const told = events.map(({ what }) => what.split('-')[0] ?? '');
  expect(told).toContain('remove endpoints web');
  expect(told).toContain('evict web');
  const asked = told.flatMap((what, index) => (what === 'read' ? [told[index + 1] ?? 'nothing'] : []));
  expect(
    asked.filter((next) => next !== 'taint' && !next.startsWith('remove endpoints')),
    told.join(', '),
  ).toEqual([]);
  // Rounds of other nodes that began later may have been answered by the same read.
  expect(events.filter(({ what, since }) => what === 'read' && since === undefined)).toEqual([]);
});

test('a pod that leaves while callers are sent to it is reported', async () => {
  const keepEndpoints = ['default/web'];
  const scene = await openScene(1, { drain: { ...scenarioPolicy().drain, keepEndpoints } });
  const [node] = scene.leaving;
  if (node === undefined) throw new Error('no node leaves');
  const { unprotected } = (await scene.evict(node)) as { readonly unprotected?: readonly string[] };
  expect(unprotected).toEqual([
    expect.stringMatching(
      /^pod default\/web-\S+ left while default\/web listed it: spec.drain.keepEndpoints names it$/,
    ),
  ]);
});

test('two nodes that observe at the same moment evict one pod of a Service without a budget, not two', async () => {
  const keepEndpoints = ['default/api', 'default/web'];
  const { world, leaving, evict } = await openScene(2, {
    drain: { ...scenarioPolicy().drain, keepEndpoints },
    disabledRules: ['capacity-guard'],
  });
  world.budgets = [];
  let fewest = Number.POSITIVE_INFINITY;
  world.clock.onPassage(() => {
    const ready = world.pods.filter((pod) => pod.of === 'api' && pod.ready && !pod.terminating);
    fewest = Math.min(fewest, ready.length);
  });
  const outcomes = await Promise.all(leaving.map(async (node) => await evict(node)));
  world.clock.stop();
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
  expect(fewest).toBe(3);
});

describe('an eviction that the API server rejects', () => {
  /** Ports of which the eviction API gives that answer for one pod of the node, as often as `times`; when it was asked, clock's ms. */
  async function refuse(answer: EvictionOutcome, times: number, keepEndpoints = ['default/api', 'default/web']) {
    const scene = await openScene(1, { drain: { ...scenarioPolicy().drain, keepEndpoints } });
    const { world, ports, leaving } = scene;
    const [node] = leaving;
    const refused = world.pods.find((pod) => pod.node === node?.name && pod.of === 'web');
    if (node === undefined || refused === undefined) throw new Error('no pod');
    const asked: number[] = [];
    const evict: Ports['cluster']['evict'] = async (pod, options) => {
      if (pod.uid !== refused.uid) return await ports.cluster.evict(pod, options);
      asked.push(world.clock.now());
      return asked.length <= times ? answer : await ports.cluster.evict(pod, options);
    };
    const began = world.clock.now();
    const outcome = await scene.evict(node, createActivities({ ...ports, cluster: { ...ports.cluster, evict } }));
    world.clock.stop();
    return { outcome, asked, refused, tookMs: world.clock.now() - began };
  }

  test('permanently ends the step at once, in its words', async () => {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    const { outcome, refused, tookMs } = await refuse({ outcome: 'impossible', message }, Number.POSITIVE_INFINITY);
    expect(outcome).toMatchObject({
      outcome: 'failed',
      problem: {
        code: 'Conflict',
        message: `the API server refuses to evict default/${refused.name}: ${message}`,
        hint: expect.stringContaining('then resume'),
      },
    });
    expect(tookMs).toBeLessThan(60_000);
  });

  test.each([
    ['of a pod that goes at once', ['default/api', 'default/web']],
    ['of one that leaves its endpoints first', []],
  ])('for now is tried again at the retry time, and not before: %s', async (_, keepEndpoints) => {
    const retryAfterMs = 20_000;
    const answer: EvictionOutcome = { outcome: 'retry', message: 'the server is too busy', retryAfterMs };
    const { outcome, asked } = await refuse(answer, 2, keepEndpoints);
    expect(outcome).toMatchObject({ outcome: 'done', evidence: [{ kind: 'evicted' }] });
    const [first = 0, second = 0, third = 0] = asked;
    expect(second - first).toBeGreaterThanOrEqual(retryAfterMs);
    expect(third - second).toBeGreaterThanOrEqual(retryAfterMs);
    expect(third - first).toBeLessThan(2 * retryAfterMs + 2_000);
  });
});

describe('before the first pod is touched', () => {
  test('a node whose label somebody removed goes back to draining, and the report says so', async () => {
    const { world, leaving, evict } = await openScene(1);
    const [node] = leaving;
    if (node === undefined) throw new Error('no node');
    const pods = uidsOn(world, node);
    delete node.labels[excludeLabel];
    world.changed();
    const outcome = await evict(node);
    world.clock.stop();
    const reason = `somebody removed the exclude label of ${node.name}`;
    expect(outcome).toMatchObject({
      outcome: 'done',
      reregistered: { step: 'draining-connections', reason },
      externalChanges: [{ what: reason }],
    });
    expect(uidsOn(world, node)).toEqual(pods);
  });

  test.each<[string, (node: SimNode) => void]>([
    ['were taken out by somebody', exclude],
    ['failed, so that its pods may not go either', (node) => void (node.ready = false)],
  ])('a node is restored that should not have been excluded, because all others %s', async (_, strike) => {
    const { world, leaving, evict } = await openScene(1);
    const [node] = leaving;
    if (node === undefined) throw new Error('no node');
    const pods = uidsOn(world, node);
    for (const other of world.nodes) if (other !== node) strike(other);
    const outcome = await evict(node);
    world.clock.stop();
    expect(outcome).toMatchObject({ outcome: 'done', restoredBecause: expect.stringContaining('without it') });
    expect(uidsOn(world, node)).toEqual(pods);
  });

  test('one bad observation restores no node', async () => {
    const { world, leaving, evict } = await openScene(1);
    const [node] = leaving;
    if (node === undefined) throw new Error('no node');
    const others = world.nodes.filter((other) => other !== node);
    for (const other of others) exclude(other);
    world.clock.at(world.clock.now() + 2_000, () => {
      for (const other of others) delete other.labels[excludeLabel];
    });
    const outcome = await evict(node);
    world.clock.stop();
    expect(outcome).toMatchObject({ outcome: 'done', evidence: [{ kind: 'evicted' }] });
    expect(outcome).not.toHaveProperty('restoredBecause');
  });
});

describe('an attempt that lives on after its successor has begun', () => {
  /** The attempt has observed, and hangs before its first action, while `then` happens; returns how it ends, and the pods of its node. */
  async function outlive(then: (scene: Awaited<ReturnType<typeof openScene>>, node: SimNode) => Promise<unknown>) {
    const scene = await openScene(1);
    const { world, ports, leaving, inputOf } = scene;
    const [node] = leaving;
    if (node === undefined) throw new Error('no node');
    const pods = uidsOn(world, node);
    const hanging = hangingAt(ports, 'requireFence', 2);
    const { evictPods } = createActivities(hanging.ports);
    const environment = new MockActivityEnvironment({ attempt: 1 });
    const ending = environment.run(evictPods, inputOf(node, 3)).catch((error: unknown) => error);
    await hanging.reached;
    await then(scene, node);
    hanging.resume();
    const end = await ending;
    world.clock.stop();
    return { end, pods, left: uidsOn(world, node) };
  }

  test('touches no pod of a node that was restored meanwhile', async () => {
    const { end, pods, left } = await outlive(async ({ ports, inputOf }, node) => {
      const { restoreNode } = createActivities(ports);
      await new MockActivityEnvironment({ attempt: 1 }).run(restoreNode, inputOf(node, 4));
    });
    expect(end).toMatchObject({ type: 'Superseded' });
    expect(left).toEqual(pods);
  });

  test('touches no pod when its successor has the node', async () => {
    const { end, pods, left } = await outlive(async ({ ports }, node) => {
      await ports.cluster.fenceNode(node, { run, round: 1, step: 3, attempt: 2 });
    });
    expect(end).toMatchObject({ type: 'Superseded' });
    expect(left).toEqual(pods);
  });

  test('touches no pod once somebody else holds the pool', async () => {
    const { end, pods, left } = await outlive(async ({ world }) => {
      const [name = ''] = world.leases.keys();
      world.leases.set(name, { holder: 'run-2', token: 2, expiresAt: world.clock.now() + 3_600_000 });
    });
    expect(end).toMatchObject({ outcome: 'failed', problem: { message: expect.stringContaining('run-2 holds it') } });
    expect(left).toEqual(pods);
  });

  test('does touch them while nothing has happened', async () => {
    const { pods, left } = await outlive(async () => undefined);
    expect(left.length).toBeLessThan(pods.length);
  });
});
