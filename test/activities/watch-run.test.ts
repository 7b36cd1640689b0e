import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createActivities } from '../../activities/activities.ts';
import { poolLockOf } from '../../activities/fence.ts';
import type { StepProgress } from '../../core/status/progress.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';

const run = 'run-1';
const nothing = { sent: 0, lost: 0, slow: 0 };

/** Watches for a moment; `silentMs` is how long ago an earlier attempt said its last, none when it is undefined. */
async function watchAfter(silentMs: number | undefined) {
  const world = createScenario();
  const policy = scenarioPolicy();
  const name = poolLockOf(policy);
  const now = world.clock.now();
  world.leases.set(name, { holder: run, token: 1, expiresAt: now + 3_600_000 });
  const earlier: StepProgress = {
    reason: 'watching',
    since: now - 600_000,
    until: undefined,
    seenAt: now - (silentMs ?? 0),
    traffic: { sent: 926, lost: 2, slow: 1 },
  };
  const environment = new MockActivityEnvironment({
    activityId: 'watch',
    ...(silentMs === undefined ? {} : { heartbeatDetails: earlier }),
  });
  const { watchRun } = createActivities(createSimPorts(world));
  const input = { policy, lock: { name, holder: run, token: 1 }, base: nothing, budget: 100 };
  environment.on('heartbeat', () => environment.cancel());
  return await world.clock.act(
    'watch',
    async (): ReturnType<typeof watchRun> => await environment.run(watchRun, input),
  );
}

test('a watch whose worker was away goes on from its last counts, and tells the time in which nobody watched', async () => {
  const { counts } = await watchAfter(63_000);
  expect(counts).toMatchObject({ lost: 2, slow: 1, unwatchedMs: 63_000 });
  expect(counts.sent).toBeGreaterThanOrEqual(926);
});

test.each([undefined, 1_000])(
  'one that begins, or follows its predecessor at once (%s ms), has no gap',
  async (silentMs) => {
    expect((await watchAfter(silentMs)).counts).not.toHaveProperty('unwatchedMs');
  },
);
