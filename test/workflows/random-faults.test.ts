import { ApplicationFailure } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { abortUpdate, pauseUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { createWorld } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { waysOf } from '../support/random-runs.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import type { UpgradeFunction } from '../support/temporal-harness.ts';

const operator = { by: 'ann', reason: 'at random' };

/** A run with faults drawn from a seed: throttling, lost responses, a restart, and commands of an operator. */
describe('random faults', () => {
  test.each([11, 23, 36, 37, 58, 74])(
    'seed %i: loses nothing, leaves nothing behind, terminates every instance once',
    async (seed) => {
      const dice = createWorld({ seed, reconcile: () => undefined });
      const random = () => dice.random();
      const nodes = 3 + Math.floor(random() * 3);
      const world = createScenario({ nodes, seed });
      world.faults.throttled = random() * 0.2;
      const meddling = ['none', 'pause', 'abort', 'restart'][Math.floor(random() * 4)];
      const meddleAt = 10 + Math.floor(random() * 30);
      let attempts = 0;
      let hasMeddled = false;
      let lostAnswers = 0;
      let handle: WorkflowHandle<UpgradeFunction> | undefined;
      let restarted: Promise<void> | undefined;
      const harness = await openHarness(world, {
        before: async (step) => {
          attempts += 1;
          if (attempts < meddleAt || hasMeddled || handle === undefined) return;
          // A pause waits for the answer whether a node may be excluded, which would wait here for the pause.
          if (step === 'excludeNext') return;
          hasMeddled = true;
          if (meddling === 'pause') {
            await handle.executeUpdate(pauseUpdate, { args: [operator] });
            await handle.executeUpdate(resumeUpdate, { args: [operator] });
          }
          if (meddling === 'abort')
            await handle.executeUpdate(abortUpdate, { args: [operator] }).catch(() => undefined);
          if (meddling === 'restart') restarted = harness.restart();
        },
        after: (step) => {
          if (step === 'monitorRun' || lostAnswers > 8 || random() > 0.15) return;
          lostAnswers += 1;
          throw ApplicationFailure.retryable('lost');
        },
      });
      handle = await harness.start({ ...scenarioPolicy(), ...waysOf(seed) });
      const report = await harness.finish(handle);
      await restarted;
      world.faults.throttled = 0;
      expect(report.outcome).toBe(meddling === 'abort' && report.outcome === 'aborted' ? 'aborted' : 'completed');
      expectNothingLost(world);
      expectNothingLeft(world, nodes);
    },
  );
});
