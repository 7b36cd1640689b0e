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

/** Has a run that holds its pool let go; hears what the step tells meanwhile. */
async function letGoOf(
  world: World,
  { policy = scenarioPolicy(), hear = () => undefined }: { policy?: Policy; hear?: (told: Heartbeat) => void } = {},
) {
  const name = poolLockOf(policy);
  world.leases.set(name, { holder: run, token: 1, expiresAt: world.clock.now() + 3_600_000 });
  const { cleanUp } = createActivities(createSimPorts(world));
  const input = { run, policy, sequence: 1, lock: { name, holder: run, token: 1 } };
  const environment = new MockActivityEnvironment({ activityId: 'let-go' });
  environment.on('heartbeat', hear);
  return await world.clock.act('let-go', async (): ReturnType<typeof cleanUp> => await environment.run(cleanUp, input));
}

/** A pod of `api` that the run has unlisted, and whose controller has let go of it: it has a replacement. */
async function unlistOne(world: World): Promise<SimPod> {
  const pod = world.pods.find(({ of }) => of === 'api');
  if (pod === undefined) throw new Error('no pod');
  await createSimPorts(world).cluster.removeEndpoints(pod, ['app'], run);
  return pod;
}

test('a run gives back the locks that its steps could not give back, and those of nobody else', async () => {
  const world = createScenario();
  const expiresAt = world.clock.now() + 3_600_000;
  world.leases.set('nodeferry-exclude', { holder: `${run}/workflow.3.1`, token: 4, expiresAt });
  world.leases.set('disrupt-default-api', { holder: 'run-10/workflow.3.1', token: 2, expiresAt });
  expect(await letGoOf(world)).toMatchObject({ outcome: 'done', left: [] });
  expect([...world.leases.keys()]).toEqual(['disrupt-default-api']);
});

describe('a pod that has been replaced already', () => {
  test('is evicted only once it is seen out of its EndpointSlices and that has spread', async () => {
    const world = createScenario();
    await createSimPorts(world).cluster.observe();
    world.faults.slicesFrozen = true;
    const pod = await unlistOne(world);
    const thawedAt = world.clock.now() + 60_000;
    let endedAt = 0;
    later(world, 60_000, () => {
      world.faults.slicesFrozen = false;
    });
    const reasons = new Set<string>();
    const ended = await letGoOf(world, {
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
    const pod = await unlistOne(world);
    (pod.labels as Record<string, string>)['tier'] = 'back';
    world.budgets.push({ name: 'tier', selector: { tier: 'back' }, minAvailable: 1 });
    return pod;
  }

  test('and that a budget holds is asked for again, which is told, and goes as soon as the budget allows', async () => {
    const world = createScenario();
    const pod = await openBudget(world);
    let blocked: Heartbeat['blocked'];
    later(world, 120_000, () => {
      world.budgets = world.budgets.filter(({ name }) => name !== 'tier');
    });
    const ended = await letGoOf(world, {
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

  test('and that a budget never lets go is left behind with the reason, in the time that evictions have', async () => {
    const world = createScenario();
    const pod = await openBudget(world);
    const policy = scenarioPolicy();
    const begun = world.clock.now();
    const ended = await letGoOf(world, { policy });
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

  test('keeps the marks of its own node until then, and of no other', async () => {
    const world = createScenario();
    const pod = await openBudget(world);
    const [other] = world.nodes.filter(({ name }) => name !== pod.node);
    const ports = createSimPorts(world);
    for (const node of world.nodes) await ports.cluster.cordon(node, run);
    let cordoned: readonly string[] = [];
    await letGoOf(world, {
      hear: ({ blocked }) => {
        if ((blocked ?? []).length > 0) cordoned = world.nodes.filter((node) => node.cordoned).map(({ name }) => name);
      },
    });
    expect(cordoned).toEqual([pod.node]);
    expect(cordoned).not.toContain(other?.name);
    expect(world.nodes.filter((node) => node.cordoned)).toEqual([]);
  });
});
