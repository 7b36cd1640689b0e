import { describe, expect, test } from 'vitest';
import { createActivities } from '../../activities/activities.ts';
import { poolLockOf } from '../../activities/fence.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { Heartbeat } from '../../core/status/heartbeat.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { later, type SimPod, type World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';

const run = 'run-1';

/** Cleans up after a run that holds its pool; `hear` gets what the step reports meanwhile. */
async function cleanUpAfter(
  world: World,
  { policy = scenarioPolicy(), hear = () => undefined }: { policy?: Policy; hear?: (told: Heartbeat) => void } = {},
) {
  const name = poolLockOf(policy);
  world.leases.set(name, { holder: run, token: 1, expiresAt: world.clock.now() + 3_600_000 });
  const { cleanUp } = createActivities(createSimPorts(world));
  const input = { run, policy, sequence: 1, lock: { name, holder: run, token: 1 } };
  const environment = new MockActivityEnvironment({ activityId: 'clean-up' });
  environment.on('heartbeat', hear);
  return await world.clock.act(
    'clean-up',
    async (): ReturnType<typeof cleanUp> => await environment.run(cleanUp, input),
  );
}

/** A pod of `api` that the run has removed from endpoints, and that its controller has released: it has a replacement. */
async function removeEndpointsOfOne(world: World): Promise<SimPod> {
  const pod = world.pods.find(({ of }) => of === 'api');
  if (pod === undefined) throw new Error('no pod');
  await createSimPorts(world).cluster.removeEndpoints(pod, ['app'], run);
  return pod;
}

test('a run releases the locks that its steps could not release, and no others', async () => {
  const world = createScenario();
  const expiresAt = world.clock.now() + 3_600_000;
  world.leases.set('nodeferry-exclude', { holder: `${run}/workflow.3.1`, token: 4, expiresAt });
  world.leases.set('disrupt-default-api', { holder: 'run-10/workflow.3.1', token: 2, expiresAt });
  expect(await cleanUpAfter(world)).toMatchObject({ outcome: 'done', left: [] });
  expect([...world.leases.keys()]).toEqual(['disrupt-default-api']);
});

describe('a pod that has been replaced already', () => {
  test('is evicted only once it has left its EndpointSlices and that has propagated', async () => {
    const world = createScenario();
    await createSimPorts(world).cluster.observe();
    world.faults.slicesFrozen = true;
    const pod = await removeEndpointsOfOne(world);
    const thawedAt = world.clock.now() + 60_000;
    let endedAt = 0;
    later(world, 60_000, () => {
      world.faults.slicesFrozen = false;
    });
    const reasons = new Set<string>();
    const ended = await cleanUpAfter(world, {
      hear: ({ reason }) => {
        reasons.add(reason);
        if (pod.terminating && endedAt === 0) endedAt = world.clock.now();
      },
    });
    expect(ended).toMatchObject({ outcome: 'done', left: [] });
    expect(pod.terminating).toBe(true);
    expect(world.clock.now()).toBeGreaterThanOrEqual(thawedAt + 7_000);
    expect([...reasons].join('\n')).toContain('still an endpoint of default/api');
    expect(world.traffic.lost, world.log.join('\n')).toBe(0);
  });

  /** A budget that still counts the pod, by a label that it has kept. */
  async function openBudget(world: World): Promise<SimPod> {
    const pod = await removeEndpointsOfOne(world);
    (pod.labels as Record<string, string>)['tier'] = 'back';
    world.budgets.push({ name: 'tier', selector: { tier: 'back' }, minAvailable: 1 });
    return pod;
  }

  test('and is blocked by a budget is tried again, which is reported, and leaves as soon as the budget allows', async () => {
    const world = createScenario();
    const pod = await openBudget(world);
    let blocked: Heartbeat['blocked'];
    later(world, 120_000, () => {
      world.budgets = world.budgets.filter(({ name }) => name !== 'tier');
    });
    const ended = await cleanUpAfter(world, {
      hear: (told) => {
        if (told.blocked !== undefined && told.blocked.length > 0) blocked = told.blocked;
      },
    });
    expect(ended).toMatchObject({ outcome: 'done', left: [] });
    expect(pod.terminating).toBe(true);
    expect(blocked).toMatchObject([
      { pod: `default/${pod.name}`, reason: expect.stringContaining('disruption budget tier') },
    ]);
  });

  test('and is blocked by a budget for ever is left over with the reason, after the eviction deadline', async () => {
    const world = createScenario();
    const pod = await openBudget(world);
    const policy = scenarioPolicy();
    const begun = world.clock.now();
    const ended = await cleanUpAfter(world, { policy });
    expect(ended).toMatchObject({
      outcome: 'done',
      left: [
        expect.stringMatching(new RegExp(`^pod default/${pod.name}: .*refused: .*disruption budget tier needs 1`)),
      ],
    });
    expect(pod.terminating).toBe(false);
    expect(world.clock.now() - begun).toBe(policy.waits.deadlines.evictionMs);
    expect([...world.leases.keys()]).toEqual([]);
  });

  test('keeps the ownership of its own node until then, and of no other', async () => {
    const world = createScenario();
    const pod = await openBudget(world);
    const [other] = world.nodes.filter(({ name }) => name !== pod.node);
    const ports = createSimPorts(world);
    for (const node of world.nodes) await ports.cluster.cordon(node, run);
    let cordoned: readonly string[] = [];
    await cleanUpAfter(world, {
      hear: ({ blocked }) => {
        if ((blocked ?? []).length > 0) cordoned = world.nodes.filter((node) => node.cordoned).map(({ name }) => name);
      },
    });
    expect(cordoned).toEqual([pod.node]);
    expect(cordoned).not.toContain(other?.name);
    expect(world.nodes.filter((node) => node.cordoned)).toEqual([]);
  });
});
