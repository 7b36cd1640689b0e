/** A run that was terminated put nothing back; a sweep does, without Temporal. */
import { describe, expect, test } from 'vitest';
import { sweep } from '../../client/sweep.ts';
import { nodeReplacementId } from '../../workflows/messages.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

/** Has a run terminated with all its nodes' workflows as soon as this step begins. Answers the name of the cluster. */
async function terminateAt(world: World, step: string): Promise<string> {
  const reached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const harness = await openHarness(world, {
    before: async (begun) => {
      if (begun !== step) return;
      reached.resolve();
      await ended.promise;
    },
  });
  const handle = await harness.start(scenarioPolicy());
  await reached.promise;
  const [, cluster = ''] = handle.workflowId.split('/');
  const children = world.nodes.map(({ name }) => harness.workflow(nodeReplacementId(cluster, 'web', 'run-1', name)));
  await handle.terminate('somebody knew no better');
  await Promise.allSettled(children.map(async (child) => await child.terminate('neither here')));
  ended.resolve();
  await harness.stop();
  return cluster;
}

async function sweepAfter(world: World, cluster: string) {
  const problems: string[] = [];
  const { cluster: kubernetes, pools } = createSimPorts(world);
  const target = { cluster, region: 'eu-west-1', pool: 'web', runs: undefined };
  const left = await sweep({ cluster: kubernetes, pools }, target, 'sweep-ann', ({ what, problem }) => {
    if (problem !== undefined) problems.push(`${what}: ${problem}`);
  });
  return { left, problems };
}

describe('a run that was terminated', () => {
  test.each(['cordonNodes', 'awaitObservedOut', 'awaitDrained', 'evictPods', 'retireEndpoints'])(
    'at %s: everything of it goes but the new nodes, which are in load balancers; nothing is lost',
    async (step) => {
      const world = createScenario();
      const cluster = await terminateAt(world, step);
      await expect(sweepAfter(world, cluster), 'its lock is alive still').rejects.toThrow(/held by run-1/);
      world.clock.advance(5 * 60_000);
      const { left, problems } = await sweepAfter(world, cluster);
      const stays = [expect.stringMatching(/^pool web-new, made by run run-1, has 4 nodes/)];
      expect({ ...left, problems }, world.log.join('\n')).toEqual({ runs: ['run-1'], acts: [], stays, problems: [] });
      world.clock.advance(10 * 60_000);
      expectNothingLeft(world, 8);
      expectNothingLost(world);
    },
  );

  test('before it has got any machine: its new pool goes too', async () => {
    const world = createScenario();
    world.faults.capacity = 4;
    const cluster = await terminateAt(world, 'awaitSurgeReady');
    world.clock.advance(5 * 60_000);
    const { left, problems } = await sweepAfter(world, cluster);
    expect({ ...left, problems }).toEqual({ runs: ['run-1'], acts: [], stays: [], problems: [] });
    world.clock.advance(10 * 60_000);
    expectNothingLeft(world, 4);
    expectNothingLost(world);
    expect(world.pools.map(({ name }) => name)).toEqual(['web']);
  });
});
