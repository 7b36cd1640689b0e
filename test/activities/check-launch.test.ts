import { expect, test } from 'vitest';
import { createActivities } from '../../activities/activities.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';

test.each([
  ['a pool that is replaced in place, until it has the version', 'web', 'v1.36.3', 'v1.35.9', true],
  ['none for a pool that is replaced in place and has the version', 'web', 'v1.36.3', 'v1.36.3', false],
  ['a pool that is replaced by another one, whatever version it has', 'web-new', 'v1.36.3', 'v1.36.3', true],
])('an upgrade is due for %s', async (_name, poolName, wanted, version, isDue) => {
  const world = createScenario();
  for (const pool of world.pools) pool.version = version;
  const { checkLaunch } = createActivities(createSimPorts(world));
  const policy = scenarioPolicy({ target: { poolName, version: wanted } });
  const environment = new MockActivityEnvironment({ activityId: 'check' });
  const answer = await world.clock.act('check', async () => await environment.run(checkLaunch, { policy }));
  world.clock.stop();
  expect(answer).toMatchObject({
    outcome: 'done',
    isDue,
    reason: isDue ? 'its upgrade window opens' : 'web has version v1.36.3',
  });
});
