import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import { problemOf } from '../cases/refusal.ts';
import { type AwsBench, calls, openBench, pointSdkAt, target } from './support.ts';

let bench: AwsBench;

beforeEach(async () => {
  bench = await openBench();
  bench.cloudClock.advance(10_000);
});
afterEach(() => bench.close());

test('creating and terminating succeed, once each, while 30 % of all calls are throttled', async () => {
  const pools = createEksNodePools({ clock: bench.clock, maxAttempts: 8 });
  const [victim] = await pools.observeInstances(bench.web);
  bench.aws.faults.throttle({}, 0.3);

  await pools.replacement.createPool({ source: bench.web, target, size: 4, run: 'run-1', token: 't' });
  const outcome = await pools.terminateInstance(bench.web, victim?.instanceId ?? '');

  expect(outcome).toEqual({ outcome: 'terminating' });
  expect(bench.aws.requests.filter(({ outcome: said }) => /throttl|RequestLimit/i.test(said)).length).toBeGreaterThan(
    0,
  );
  bench.aws.faults.clear();
  bench.cloudClock.advance(10_000);
  expect(bench.aws.model.nodegroups.get('web')?.scaling.desired).toBe(3);
  expect(bench.aws.model.nodegroups.get('web-new')?.scaling.desired).toBe(4);
});

test('throttling that does not end is said so', async () => {
  bench.aws.faults.throttle({ service: 'eks' }, 1);
  const pools = createEksNodePools({ clock: bench.clock, maxAttempts: 2 });

  expect(await problemOf(pools.describePool(bench.web))).toMatchObject({
    code: 'Throttled',
    message: expect.stringContaining('eks:DescribeNodegroup'),
  });
  expect(calls(bench.aws, 'DescribeNodegroup')).toHaveLength(2);
});

test('errors of AWS itself and endpoints that nobody serves are unavailable, not refusals', async () => {
  bench.aws.faults.fail({ service: 'ec2' }, 1);
  const pools = createEksNodePools({ clock: bench.clock, maxAttempts: 1 });
  expect(await problemOf(pools.observeInstance(bench.web, 'i-0123456789abcdef0'))).toMatchObject({
    code: 'ProviderUnavailable',
  });

  pointSdkAt('http://127.0.0.1:1');
  const nowhere = createEksNodePools({ clock: bench.clock, maxAttempts: 1 });
  expect(await problemOf(nowhere.describePool(bench.web))).toMatchObject({ code: 'ProviderUnavailable' });
});

test('an answer that does not come in time is unavailable', async () => {
  bench.aws.faults.slow({ service: 'eks' }, 60_000);
  const pools = createEksNodePools({ clock: bench.clock, maxAttempts: 1, requestTimeoutMs: 200 });

  expect(await problemOf(pools.describePool(bench.web))).toMatchObject({ code: 'ProviderUnavailable' });
});
