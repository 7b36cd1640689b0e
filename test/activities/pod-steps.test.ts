import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createActivities } from '../../activities/activities.ts';
import { poolLockName } from '../../activities/pool-lock.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';

test('two nodes that look at the same moment take one pod of a Service without a budget, not two', async () => {
  const world = createScenario();
  world.budgets = [];
  let fewest = Number.POSITIVE_INFINITY;
  world.clock.onPassage(() => {
    const ready = world.pods.filter((pod) => pod.workload === 'api' && pod.ready && !pod.terminating);
    fewest = Math.min(fewest, ready.length);
  });
  const policy = scenarioPolicy({ drain: { ...scenarioPolicy().drain, neverUnlist: ['default/api', 'default/web'] } });
  const lease = { holder: 'run-1', token: 1, expiresAt: world.clock.now() + 3_600_000 };
  world.leases.set(poolLockName(policy), lease);
  const { evictPods } = createActivities(createSimPorts(world));
  const evictInActivity = async (input: Parameters<typeof evictPods>[0]): ReturnType<typeof evictPods> =>
    await new MockActivityEnvironment().run(evictPods, input);
  const pool = { cluster: 'sim', region: 'eu-west-1', name: 'web' };
  const leaving = world.nodes.slice(0, 2);
  for (const node of leaving) {
    node.cordoned = true;
    world.clock.stepBegins();
  }
  const outcomes = await Promise.all(
    leaving.map(async (node) => {
      const input = { run: 'run-1', node, pool, policy, services: [] };
      const { outcome } = await evictInActivity(input);
      world.clock.stepEnds(0);
      return outcome;
    }),
  );
  world.clock.stop();
  expect(outcomes).toEqual(['done', 'done']);
  expect(fewest).toBe(3);
});
