import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createActivities } from '../../activities/activities.ts';
import { poolLockOf } from '../../activities/fence.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';

test('a run gives back the locks that its steps could not give back, and those of nobody else', async () => {
  const world = createScenario();
  const policy = scenarioPolicy();
  const run = 'run-1';
  const name = poolLockOf(policy);
  const expiresAt = world.clock.now() + 3_600_000;
  world.leases.set(name, { holder: run, token: 1, expiresAt });
  world.leases.set('nodeferry-step-out', { holder: `${run}/workflow.3.1`, token: 4, expiresAt });
  world.leases.set('unlist-default-api', { holder: 'run-10/workflow.3.1', token: 2, expiresAt });
  const { letGo } = createActivities(createSimPorts(world));
  const input = { run, policy, lock: { name, holder: run, token: 1 } };
  const environment = new MockActivityEnvironment({ activityId: 'let-go' });
  const ended = await world.clock.act(
    'let-go',
    async (): ReturnType<typeof letGo> => await environment.run(letGo, input),
  );
  expect(ended).toMatchObject({ outcome: 'done', left: [] });
  expect([...world.leases.keys()]).toEqual(['unlist-default-api']);
});
