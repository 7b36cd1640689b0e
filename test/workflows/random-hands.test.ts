import { describe, expect, test } from 'vitest';
import { abortUpdate, nodeReplacementId, pauseUpdate, resumeUpdate, rollbackUpdate } from '../../workflows/messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { createWorld, type World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { answerCalls, type StartedRun, seedsToPlay, waysOf } from '../support/random-runs.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import type { Harness } from '../support/temporal-harness.ts';

const operator = { by: 'ann', reason: 'at random' };

/** What people and controllers change during a run. */
const troubles: Readonly<Record<string, (harness: Harness, run: StartedRun) => Promise<unknown> | void>> = {
  'a budget allows nothing any more': ({ world }) => {
    for (const budget of world.budgets) budget.maxUnavailable = 0;
  },
  'the operator aborts': async (_, run) => await tell(run, abortUpdate),
  'the operator pauses': async (_, run) => await tell(run, pauseUpdate),
  'the operator rolls back': async (_, run) => await tell(run, rollbackUpdate),
  'somebody takes the lock': ({ world }) => {
    const name = [...world.leases.keys()].find((key) => key.startsWith('nodeferry-'));
    if (name === undefined) return;
    world.leases.set(name, { holder: 'somebody', token: 99, expiresAt: world.clock.now() + 120_000 });
  },
  "somebody cancels a node's workflow": async (harness, run) => {
    const node = harness.world.nodes.find((one) => one.annotations['nodeferry.dev/excluded-by'] !== undefined);
    const [, cluster = ''] = run.workflowId.split('/');
    const id = nodeReplacementId(cluster, 'web', 'run-1', node?.name ?? '');
    await harness
      .workflow(id)
      .cancel()
      .catch(() => undefined);
  },
};

/** Most disturbances come at a time when they are refused: that is a valid answer too. */
async function tell(run: StartedRun, update: typeof abortUpdate): Promise<void> {
  await run.executeUpdate(update, { args: [operator] }).catch(() => undefined);
}

/** An operator of a stalled run: fixes the cause sometimes, then resumes, aborts or rolls back. */
async function answer(world: World, run: StartedRun, random: () => number): Promise<void> {
  world.faults.neverReady = 0;
  const isFixed = random() < 0.6;
  if (isFixed) for (const budget of world.budgets) budget.maxUnavailable = 1;
  const roll = random();
  await tell(run, roll < 0.2 ? abortUpdate : roll < 0.4 ? rollbackUpdate : resumeUpdate);
}

/** Deadlines so short that steps exceed them while others still run. */
function hastyPolicy(random: () => number) {
  const { waits } = scenarioPolicy();
  const deadlines = {
    ...waits.deadlines,
    evictionMs: 15_000 + random() * 60_000,
    nodesReadyMs: 120_000 + random() * 300_000,
    guardMs: 60_000 + random() * 600_000,
    replacementsMs: 30_000 + random() * 300_000,
  };
  return scenarioPolicy({ waits: { ...waits, deadlines } });
}

describe('external changes, operators and deadlines at random', () => {
  test.each(seedsToPlay('2001-2004'))('seed %i: the run ends, loses nothing, leaves nothing behind', async (seed) => {
    const dice = createWorld({ seed, reconcile: () => undefined });
    const random = () => dice.random();
    const nodes = 3 + Math.floor(random() * 3);
    const world = createScenario({ nodes, seed, delays: { podGone: 2_000 + random() * 26_000 } });
    world.faults.throttled = random() * 0.3;
    if (random() < 0.15) world.faults.neverReady = 1;
    const coming = Object.entries(troubles)
      .filter(() => random() < 0.4)
      .map(([what, happen]) => ({ what, happen, atStep: 4 + Math.floor(random() * 60) }));
    let begun = 0;
    const harness = await openHarness(world, {
      before: async () => {
        begun += 1;
        for (const { happen, atStep } of coming) if (atStep === begun) await happen(harness, run);
      },
    });
    const run = await harness.start({ ...hastyPolicy(random), ...waysOf(seed) });
    let over = false;
    const answering = answerCalls(
      world,
      run,
      () => over,
      async () => await answer(world, run, random),
    );
    const report = await run.result().finally(() => {
      over = true;
    });
    await answering;
    world.faults.throttled = 0;
    for (const [name, { holder }] of world.leases) if (holder === 'somebody') world.leases.delete(name);
    const story = `${coming.map(({ what, atStep }) => `${what} at step ${atStep}`).join(', ')}\n${world.log.join('\n')}`;
    expect(['completed', 'aborted', 'rolled-back'], story).toContain(report.outcome);
    if (report.outcome !== 'aborted') expect(world.pools, story).toHaveLength(1);
    expectNothingLost(world);
    expectNothingLeft(world, nodes);
  });
});
