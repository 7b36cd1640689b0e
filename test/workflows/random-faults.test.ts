import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import { abortUpdate, pauseUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { createWorld } from '../simulator/world.ts';
import { someOf } from '../support/extent.ts';
import { waysOf } from '../support/random-runs.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type StartedUpgrade, upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'at random' };

/** A run with faults drawn from a seed: throttling, lost responses, a restart, and commands of an operator. */
describe('random faults', () => {
  test.each(someOf([11, 23, 36, 37, 58, 74], 2))(
    'seed %i: loses nothing, leaves nothing behind, terminates every instance once',
    async (seed) => {
      const dice = createWorld({ seed, reconcile: () => undefined });
      const random = () => dice.random();
      const nodes = 3 + Math.floor(random() * 3);
      const { world, start } = upgradeOf({ nodes, seed, policy: waysOf(seed) });
      world.faults.throttled = random() * 0.2;
      const meddling = ['none', 'pause', 'abort', 'restart'][Math.floor(random() * 4)];
      const meddleAt = 10 + Math.floor(random() * 30);
      let attempts = 0;
      let hasMeddled = false;
      let lostAnswers = 0;
      let started: StartedUpgrade | undefined;
      let restarted: Promise<void> | undefined;
      started = await start({
        before: async (step) => {
          attempts += 1;
          if (attempts < meddleAt || hasMeddled || started === undefined) return;
          const { harness, handle } = started;
          // A pause waits for the end of these, which would wait here for the pause.
          if (step === 'excludeNext' || step === 'surgePods') return;
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
      const report = await started.harness.finish(started.handle);
      await restarted;
      world.faults.throttled = 0;
      expect(report.outcome).toBe(meddling === 'abort' && report.outcome === 'aborted' ? 'aborted' : 'completed');
      expectNothingLost(world);
      expectNothingLeft(world, nodes);
    },
  );
});
