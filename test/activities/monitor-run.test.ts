import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import type { MonitorInput, MonitorOutcome } from '../../activities/monitor-steps.ts';
import type { Heartbeat } from '../../core/status/heartbeat.ts';
import type { Outlook } from '../../core/status/outlook.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { later, type World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { lockPool, run } from './lock-pool.ts';

const nothing = { sent: 0, lost: 0, slow: 0 };

/** Monitors; `silentMs` is the age of the last heartbeat of an earlier attempt, undefined for none. Stopped at its first heartbeat if so told. */
async function watchIn(
  world: World,
  input: Partial<MonitorInput> = {},
  {
    silentMs,
    outlook,
    isStopped = false,
  }: { silentMs?: number | undefined; outlook?: Outlook; isStopped?: boolean } = {},
): Promise<MonitorOutcome> {
  const { policy, lock, activities, attempt } = lockPool({ world, policy: scenarioPolicy() });
  const now = world.clock.now();
  const earlier: Heartbeat = {
    reason: 'watching',
    since: now - 600_000,
    until: undefined,
    seenAt: now - (silentMs ?? 0),
    traffic: { sent: 926, lost: 2, slow: 1 },
    ...(outlook === undefined ? {} : { checkpoint: { outlook } }),
  };
  const environment = new MockActivityEnvironment({
    activityId: 'watch',
    ...(silentMs === undefined ? {} : { heartbeatDetails: earlier }),
  });
  if (isStopped) environment.on('heartbeat', () => environment.cancel());
  const full: MonitorInput = { policy, lock, base: nothing, budget: 100, reportIntervalMs: 3_600_000, ...input };
  return await attempt('watch', async () => await activities.monitorRun(full), environment);
}

describe('counts', () => {
  test('continue from the last heartbeat of a lost worker, and report when nobody monitored', async () => {
    const world = createScenario();
    const to = world.clock.now();
    const { counts } = await watchIn(world, {}, { silentMs: 63_000, isStopped: true });
    expect(counts).toMatchObject({ lost: 2, slow: 1, unwatchedMs: 63_000, unwatched: [{ from: to - 63_000, to }] });
    expect(counts.sent).toBeGreaterThanOrEqual(926);
  });

  test.each([undefined, 1_000])(
    'of a monitor that begins, or follows its predecessor at once (%s ms), have no gap',
    async (silentMs) => {
      const { counts } = await watchIn(createScenario(), {}, { silentMs, isStopped: true });
      expect(counts).not.toHaveProperty('unwatchedMs');
    },
  );

  test('continue from the monitor before, and report the time since then', async () => {
    const world = createScenario();
    const watchedUntil = world.clock.now() - 20_000;
    const base = { sent: 40, lost: 1, slow: 0, unwatchedMs: 7_000, unwatched: [{ from: 0, to: 7_000 }] };
    const { counts } = await watchIn(world, { base, watchedUntil }, { isStopped: true });
    expect(counts.unwatchedMs).toBe(27_000);
    expect(counts.unwatched).toEqual([
      { from: 0, to: 7_000 },
      { from: watchedUntil, to: watchedUntil + 20_000 },
    ]);
    expect(counts.lost).toBe(1);
  });
});

describe('a monitor returns', () => {
  test('after its report interval', async () => {
    const world = createScenario();
    const begun = world.clock.now();
    const { outcome, at, counts } = await watchIn(world, { reportIntervalMs: 300_000 });
    expect({ outcome, afterMs: at - begun }).toEqual({ outcome: 'counted', afterMs: 300_000 });
    expect(counts.sent).toBeGreaterThan(80_000);
  });

  test('at once when the first request is lost, and a while later when more are', async () => {
    const world = createScenario();
    const begun = world.clock.now();
    const lose = () => void (world.traffic.lost += 1);
    later(world, 10_000, lose);
    const first = await watchIn(world, { reportIntervalMs: 300_000 });
    expect(first).toMatchObject({ outcome: 'counted', at: begun + 10_000, counts: { lost: 1 } });
    later(world, 10_000, lose);
    const second = await watchIn(world, { reportIntervalMs: 300_000, base: first.counts });
    expect(second).toMatchObject({ outcome: 'counted', at: first.at + 60_000, counts: { lost: 2 } });
  });

  test('that more than the budget was lost, but not where there is none', async () => {
    const world = createScenario();
    later(world, 10_000, () => void (world.traffic.lost += 200));
    const exceeded = await watchIn(world, { base: { ...nothing, lost: 1 }, reportIntervalMs: 300_000 });
    expect(exceeded).toMatchObject({ outcome: 'budget-exceeded', counts: { lost: 201 } });
    const { policy, lock, activities, attempt } = lockPool({ world, policy: scenarioPolicy() });
    const input = { policy, lock, base: exceeded.counts, reportIntervalMs: 300_000 };
    const quiet = await attempt('watch', async () => await activities.monitorRun(input));
    expect(quiet.outcome).toBe('counted');
  });
});

describe('what is lost', () => {
  const probe = { name: 'web', urls: [], ratePerSecond: 10, timeoutMs: 1_000 };
  const policy = scenarioPolicy({ traffic: { probes: [probe], lossBudget: 0, watchAfterMs: 0 } });
  const losing = { policy, budget: 0, reportIntervalMs: 120_000, base: { ...nothing, lost: 0 } };

  function exclude(world: World, by: string): string {
    const [node] = world.nodes;
    if (node === undefined) throw new Error('there is no node');
    node.labels['node.kubernetes.io/exclude-from-external-load-balancers'] = 'true';
    node.annotations['nodeferry.dev/excluded-by'] = by;
    world.changed();
    return node.name;
  }

  test('while no node of the run is out is reported, and does not use up the budget', async () => {
    const world = createScenario();
    exclude(world, 'run-2');
    later(world, 60_000, () => void (world.traffic.lost += 1));
    const { outcome, counts, at } = await watchIn(world, losing);
    expect(outcome).toBe('counted');
    expect(counts).toMatchObject({
      lost: 1,
      losses: [{ probe: 'web', lost: 1, whileNoneOut: 1, spells: [{ from: at, canBeOurs: false }] }],
    });
  });

  test('while a node of the run is out uses up the budget, and the node is named', async () => {
    const world = createScenario();
    later(world, 59_500, () => void exclude(world, run));
    later(world, 60_000, () => void (world.traffic.lost += 1));
    const { outcome, counts } = await watchIn(world, losing);
    expect(outcome).toBe('budget-exceeded');
    expect(counts.losses).toMatchObject([
      { whileNoneOut: 0, spells: [{ canBeOurs: true, nodes: [world.nodes[0]?.name] }] },
    ]);
  });

  test('shortly after a node was out uses it up too, from monitor to monitor', async () => {
    const world = createScenario();
    const now = world.clock.now();
    later(world, 60_000, () => void (world.traffic.lost += 1));
    const { outcome, counts } = await watchIn(world, {
      ...losing,
      outlook: { seenAt: now, outAt: now - 30_000, nodes: ['gone'] },
    });
    expect(outcome).toBe('budget-exceeded');
    expect(counts.losses?.[0]?.spells[0]?.nodes).toEqual(['gone']);
  });

  test.each<[string, { nodes: string[]; outAt?: number }, string]>([
    ['uses it up too, over the death of a worker', { nodes: ['gone'], outAt: 30_000 }, 'budget-exceeded'],
    ['where none was out does not', { nodes: [] }, 'counted'],
  ])('shortly after a node was out %s', async (_, { nodes, outAt }, told) => {
    const world = createScenario();
    const now = world.clock.now();
    later(world, 5_000, () => void (world.traffic.lost += 1));
    const earlier = { seenAt: now - 20_000, nodes, ...(outAt === undefined ? {} : { outAt: now - outAt }) };
    const input = { ...losing, budget: 2, reportIntervalMs: 3_000_000, base: { ...nothing, lost: 2 } };
    const { outcome } = await watchIn(world, input, { silentMs: 20_000, outlook: earlier });
    expect(outcome).toBe(told);
  });

  test('when nothing was observed for a while uses it up: who knows what was out', async () => {
    const world = createScenario();
    later(world, 5_000, () => void (world.traffic.lost += 1));
    const { outcome } = await watchIn(world, {
      ...losing,
      outlook: { seenAt: world.clock.now() - 60_000, nodes: [] },
    });
    expect(outcome).toBe('budget-exceeded');
  });

  test('while the API server is unavailable uses it up: nobody can observe what is out', async () => {
    const world = createScenario();
    later(world, 55_000, () => {
      world.faults.apiDown = true;
      world.traffic.lost += 1;
    });
    const { outcome } = await watchIn(world, losing);
    expect(outcome).toBe('budget-exceeded');
  });
});

test('a monitor that fails says in its failure what it has counted', async () => {
  const world = createScenario();
  const since = world.clock.now();
  later(world, 20_000, () => {
    world.faults.onRenewal = () => {
      throw new TypeError('a bug');
    };
  });
  const failure: unknown = await watchIn(world).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({
    type: 'TypeError',
    message: 'a bug',
    details: [{ since, seenAt: since + 30_000, traffic: { lost: 0 } }],
  });
});
