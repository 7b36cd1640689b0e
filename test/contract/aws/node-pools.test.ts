import { AutoScalingClient, SetDesiredCapacityCommand } from '@aws-sdk/client-auto-scaling';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import type { ManagedNodePools } from '../../../ports/node-pools.ts';
import { problemOf } from '../cases/refusal.ts';
import { type AwsBench, calls, openBench, target } from './support.ts';

let bench: AwsBench;
let pools: ManagedNodePools;

beforeEach(async () => {
  bench = await openBench();
  bench.cloudClock.advance(10_000);
  pools = createEksNodePools({ clock: bench.clock, maxAttempts: 2 });
});
afterEach(() => bench.close());

const create = (overrides: { run?: string; token?: string; size?: number; poolName?: string } = {}) =>
  pools.replacement.createPool({
    source: bench.web,
    target: { ...target, poolName: overrides.poolName ?? target.poolName },
    size: overrides.size ?? 4,
    run: overrides.run ?? 'run-1',
    token: overrides.token ?? 'run-1/surge',
  });

/** An autoscaler sets the size of a pool. */
async function scaleTo(pool: string, size: number): Promise<void> {
  const input = { AutoScalingGroupName: groupOf(pool).name, DesiredCapacity: size };
  await new AutoScalingClient({ region: bench.web.region }).send(new SetDesiredCapacityCommand(input));
}

function groupOf(pool: string) {
  const { model } = bench.aws;
  const group = model.autoScalingGroups.get(model.nodegroups.get(pool)?.autoScalingGroup ?? '');
  if (group === undefined) throw new Error(`no group of ${pool}`);
  return group;
}

const replacement = () => ({ ...bench.web, name: 'web-new' });

describe('describing a pool', () => {
  test('tells why instances are missing while EKS itself has not noticed', async () => {
    bench.aws.faults.refuseLaunches();
    await create();
    bench.cloudClock.advance(5_000);

    const facts = await pools.describePool(replacement());

    expect(facts.instances).toEqual([]);
    expect(facts.problems.join()).toMatch(/AsgInstanceLaunchFailures: .*capacity/i);
  });
});

describe('creating a replacement', () => {
  test('clones the node group with the new version and our tags', async () => {
    await create();
    bench.cloudClock.advance(10_000);

    const facts = await pools.describePool(replacement());
    const [made] = calls(bench.aws, 'CreateNodegroup');

    expect(facts).toMatchObject({ status: 'active', version: '1.36', desiredSize: 4, minSize: 2, maxSize: 8 });
    expect(facts.labels).toMatchObject({ tier: 'web' });
    expect(made?.input).toMatchObject({
      instanceTypes: ['m7i.large'],
      amiType: 'AL2023_x86_64_STANDARD',
      clientRequestToken: 'run-1/surge',
      tags: { 'nodeferry.dev/created-by': 'run-1', 'nodeferry.dev/replaces': 'web' },
    });
  });

  test('creates one node group however often the call is repeated', async () => {
    await create();
    await create();
    bench.cloudClock.advance(10_000);
    await create();

    expect(calls(bench.aws, 'CreateNodegroup')).toHaveLength(1);
    expect((await pools.describePool(replacement())).instances).toHaveLength(4);
  });

  test('refuses a pool that another run made', async () => {
    await create();

    const problem = await problemOf(create({ run: 'run-2', token: 'run-2/surge' }));

    expect(problem).toMatchObject({
      code: 'ProviderRefused',
      message: expect.stringContaining('created by run run-1'),
    });
    expect(problem.hint).toContain('target.poolName');
  });

  test('refuses a pool that nodeferry did not make', async () => {
    expect(await problemOf(create({ poolName: 'other' }))).toMatchObject({
      code: 'ProviderRefused',
      message: expect.stringContaining('not created by nodeferry'),
    });
  });

  test('gives a suspended source its own minimum, not the lowered one', async () => {
    await pools.scaling.suspend(bench.web);
    await create();

    expect((await pools.describePool(replacement())).minSize).toBe(2);
    expect(Object.keys(calls(bench.aws, 'CreateNodegroup')[0]?.input['tags'] ?? {})).not.toContain(
      'nodeferry.dev/suspended',
    );
  });
});

describe('deleting a pool', () => {
  test('is fine when it is repeated, while it goes on and after', async () => {
    await create();
    bench.cloudClock.advance(10_000);

    await pools.replacement.deletePool(replacement(), { onlyIfCreatedBy: 'run-1' });
    await pools.replacement.deletePool(replacement(), { onlyIfCreatedBy: 'run-1' });
    bench.cloudClock.advance(60_000);
    await pools.replacement.deletePool(replacement(), { onlyIfCreatedBy: 'run-1' });

    expect(await pools.findPool(replacement())).toBeUndefined();
    expect(calls(bench.aws, 'DeleteNodegroup')).toHaveLength(1);
  });
});

describe('deleting a pool that was empty', () => {
  const empty = async () => {
    await create();
    bench.cloudClock.advance(10_000);
    await pools.scaling.suspend(bench.web);
    for (const { instanceId } of await pools.observeInstances(bench.web))
      await pools.terminateInstance(bench.web, instanceId);
    bench.cloudClock.advance(10_000);
  };

  test('is refused once an autoscaler has raised it while the minimum of the new pool was restored', async () => {
    await empty();
    const sleep = async (ms: number) => {
      await scaleTo('web', 1);
      await bench.clock.sleep(ms);
    };
    const slow = createEksNodePools({ clock: { ...bench.clock, sleep }, maxAttempts: 2 });

    expect(await problemOf(slow.replacement.deletePool(bench.web, {}))).toMatchObject({
      code: 'ProviderRefused',
      message: expect.stringContaining('it still has i-'),
    });
    expect(calls(bench.aws, 'DeleteNodegroup')).toEqual([]);
  });

  test('ends where the caller may change nothing any more, before each change', async () => {
    await empty();
    const updates = calls(bench.aws, 'UpdateNodegroupConfig').length;
    for (const [allowed, action, made] of [
      [0, 'UpdateNodegroupConfig', updates],
      [1, 'UntagResource', 0],
      [1, 'DeleteNodegroup', 0],
    ] as const) {
      let left: number = allowed;
      const beforeChange = async () => {
        left -= 1;
        if (left < 0) throw new Error('too late');
      };
      await expect(pools.replacement.deletePool(bench.web, { beforeChange })).rejects.toThrow('too late');
      expect(calls(bench.aws, action)).toHaveLength(made);
    }
  });
});

describe('growing a replacement', () => {
  test('that an autoscaler has raised goes on although EKS still has the size from before', async () => {
    await bench.close();
    bench = await openBench({ delays: { nodegroupSizesMs: 60_000 } });
    pools = createEksNodePools({ clock: bench.clock, maxAttempts: 2 });
    bench.cloudClock.advance(10_000);
    await create({ size: 2 });
    bench.cloudClock.advance(70_000);
    await scaleTo('web-new', 4);

    await pools.replacement.resize(replacement(), { size: 4, run: 'run-1' });

    expect(groupOf('web-new')).toMatchObject({ min: 4, desired: 4, max: 8 });
  });

  test('that an earlier version has created raises its minimum up to that of its source', async () => {
    await create({ size: 1 });
    bench.cloudClock.advance(10_000);
    bench.aws.model.nodegroups.get('web-new')?.tags.delete('nodeferry.dev/min-size');
    await pools.scaling.suspend(bench.web);

    await pools.replacement.resize(replacement(), { size: 2, run: 'run-1' });
    await pools.replacement.resize(replacement(), { size: 3, run: 'run-1' });

    expect(groupOf('web-new')).toMatchObject({ min: 2, desired: 3 });
  });
});
