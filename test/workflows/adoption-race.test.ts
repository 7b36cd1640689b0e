/** Two runs that have planned with the same pool, before either of them has locked anything. */
import { WorkflowFailedError } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import type { RunReport } from '../../core/status/status.ts';
import { addIdlePool, addServingPool, createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';

/** Replaces `pool` by the nodes of `poolName`. */
function moving(pool: string, poolName: string, adoptTarget: boolean): Policy {
  const policy = scenarioPolicy();
  const target = { ...policy.target, poolName };
  return { ...policy, pool: { ...policy.pool, name: pool }, target, ...(adoptTarget && { adoptTarget }) };
}

function createRace(pools: readonly string[]): World {
  const world = createScenario();
  for (const name of pools) addServingPool(world, name, 4);
  addIdlePool(world, 'spare', 4, { version: 'v1.36.3', minSize: 1 });
  return world;
}

/** Runs both. Neither locks before both have planned; then all at once, or in the order of `lockingOrder`. */
async function race(world: World, policies: readonly Policy[], lockingOrder: readonly string[] = []) {
  const planned = Promise.withResolvers<void>();
  const locked = lockingOrder.map((run) => ({ run, isDone: Promise.withResolvers<void>() }));
  const plans = new Set<string>();
  const runOf = ([input]: readonly unknown[]) => (input as { run: string }).run;
  const harness = await openHarness(world, {
    before: async (step, args) => {
      if (step !== 'acquireLock') return;
      await planned.promise;
      const place = lockingOrder.indexOf(runOf(args));
      if (place > 0) await locked[place - 1]?.isDone.promise;
    },
    after: (step, args) => {
      if (step === 'preflight' && plans.add(runOf(args)).size === policies.length) planned.resolve();
      if (step === 'acquireLock') locked.find(({ run }) => run === runOf(args))?.isDone.resolve();
    },
  });
  const handles = await Promise.all(
    policies.map(async (policy, index) => await harness.start(policy, { run: `run-${index + 1}` })),
  );
  return await Promise.all(
    handles.map(async (handle): Promise<Ending> => {
      try {
        return { type: undefined, report: await harness.finish(handle) };
      } catch (error) {
        if (error instanceof WorkflowFailedError) return await failureOfRun(handle);
        throw error;
      }
    }),
  );
}

interface Ending {
  readonly type: string | undefined;
  readonly report: RunReport;
}

const nodesOf = (world: World, pool: string) => world.nodes.filter((node) => node.pool === pool).length;

test('of two runs that adopt one pool, the second is refused before it has changed anything', async () => {
  const world = createRace(['blue']);
  const endings = await race(world, [moving('web', 'spare', true), moving('blue', 'spare', true)]);
  const [loser] = endings.filter(({ type }) => type !== undefined);
  expect(endings.map(({ report }) => report.outcome).toSorted()).toEqual(['completed', 'failed']);
  expect(loser).toMatchObject({
    type: 'LockHeld',
    report: {
      stalled: { message: expect.stringMatching(/^run run-[12] moves nodes to pool spare, which this run adopts/) },
    },
  });
  const kept = loser?.report.pool ?? '';
  expect(world.pools.map(({ name }) => name).toSorted()).toEqual([kept, 'spare'].toSorted());
  expect(nodesOf(world, kept)).toBe(4);
  expectNothingLost(world);
  expectNothingLeft(world, 8);
});

test.each([
  [
    'a run that adopts a pool that another run has begun to replace',
    ['run-1', 'run-2'],
    /^run run-1 holds the lock on pool spare/,
  ],
  [
    'a run that replaces a pool that another run has begun to adopt',
    ['run-2', 'run-1'],
    /^run run-2 moves nodes to pool spare/,
  ],
])('%s is refused before it has changed anything', async (_name, order, message) => {
  const world = createRace([]);
  const endings = await race(world, [moving('spare', 'fresh', false), moving('web', 'spare', true)], order);
  const [first, second] = order.map((run) => endings[Number(run.at(-1)) - 1]);
  expect(first?.report.outcome).toBe('completed');
  expect(second).toMatchObject({ type: 'LockHeld', report: { stalled: { message: expect.stringMatching(message) } } });
  expect(world.pools).toHaveLength(order[0] === 'run-1' ? 2 : 1);
  expectNothingLost(world);
  expectNothingLeft(world, order[0] === 'run-1' ? 8 : 4);
});
