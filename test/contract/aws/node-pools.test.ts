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
