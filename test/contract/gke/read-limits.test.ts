/** Reads of Compute Engine, whose quota the whole project shares. */
import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { createGoogleFamily } from '../../../adapters/gcp/load-balancers/family.ts';
import { createGoogleLoadBalancers } from '../../../adapters/gcp/load-balancers/load-balancers.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { makeNodeGroups, makeTargetPool, openBalancers, openCompute, serviceAt } from './balancers.ts';
import { type GkeBench, openBench } from './support.ts';

let bench: GkeBench;
let balancers: LoadBalancers;
beforeEach(async () => {
  bench = await openBench();
  balancers = openBalancers(bench);
});

const pool = async () => {
  const { groups } = await balancers.discover([serviceAt(await makeTargetPool(openCompute(bench)))]);
  return groups;
};
const methodsSince = (before: number) => bench.gcp.requests.slice(before).map(({ method }) => method);

/** Clock of the adapter: its sleeps move the cloud's time on. */
const clockOf = ({ cloudClock }: GkeBench) => ({
  now: () => cloudClock.now(),
  sleep: async (ms: number) => cloudClock.advance(ms),
});

describe('readers of the same group', () => {
  test('at the same moment share the calls of one', async () => {
    const groups = await pool();
    const before = bench.gcp.requests.length;
    const read = await Promise.all([1, 2, 3].map(async () => await balancers.readTargets(groups)));
    expect(methodsSince(before)).toEqual(['targetPools.get', ...Array(4).fill('targetPools.getHealth')]);
    expect(read.map(([group]) => group?.targets.length)).toEqual([4, 4, 4]);
  });

  test('that take what was read since a moment cost no call until that is older', async () => {
    const groups = await pool();
    const start = bench.cloudClock.now();
    await balancers.readTargets(groups);
    const before = bench.gcp.requests.length;
    await balancers.readTargets(groups, { since: start });
    expect(methodsSince(before)).toEqual([]);
    bench.cloudClock.advance(10_000);
    await balancers.readTargets(groups, { since: start + 1 });
    expect(methodsSince(before)).toHaveLength(5);
  });

  test('take what is no older than a read of all of them would be at its end, by the calls that it takes', async () => {
    const groups = await pool();
    await balancers.readTargets(groups);
    const before = bench.gcp.requests.length;
    bench.cloudClock.advance(400);
    await balancers.readTargets(groups, { since: bench.cloudClock.now() });
    expect(methodsSince(before)).toEqual([]);
    bench.cloudClock.advance(200);
    await balancers.readTargets(groups, { since: bench.cloudClock.now() });
    expect(methodsSince(before)).toHaveLength(5);
  });

  test('never take an old state unless they say so', async () => {
    const groups = await pool();
    await balancers.readTargets(groups);
    const before = bench.gcp.requests.length;
    await balancers.readTargets(groups);
    expect(methodsSince(before)).toHaveLength(5);
  });
});

describe('discovering again', () => {
  const discover = async (anew = false) => {
    const before = bench.gcp.requests.length;
    const services = [serviceAt(addresses[0]), serviceAt(addresses[1], { key: 'default/api' })];
    const { groups } = await balancers.discover(services, { anew });
    expect(groups.map(({ healthCheck }) => healthCheck?.intervalMs)).toEqual([3_000, 3_000]);
    return methodsSince(before).toSorted();
  };
  let addresses: readonly string[] = [];
  beforeEach(async () => {
    const compute = openCompute(bench);
    addresses = [await makeNodeGroups(compute), await makeNodeGroups(compute, { name: 'api' })];
  });
  const lists = ['backendServices.aggregatedList', 'forwardingRules.list', 'regions.get'];

  test('takes as many calls for many Services as for one, while their health checks are known', async () => {
    expect((await discover()).filter((method) => !lists.includes(method))).toEqual([
      'regionHealthChecks.get',
      'regionHealthChecks.get',
    ]);
    expect(await discover()).toEqual(lists);
    bench.cloudClock.advance(10 * 60_000);
    expect(await discover()).toHaveLength(lists.length + 2);
  });

  test('uses nothing of an earlier time where somebody has just changed something', async () => {
    await discover();
    bench.cloudClock.advance(1);
    expect(await discover(true)).toHaveLength(lists.length + 2);
  });
});

describe('the rate', () => {
  test('stays below half of the quota of a minute, however often is asked', async () => {
    const groups = await pool();
    for (let read = 0; read < 140; read += 1) await balancers.readTargets(groups);
    const times = bench.gcp.requests.filter(({ service }) => service === 'compute').map(({ at }) => at);
    const perMinute = times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length);
    expect(Math.max(...perMinute)).toBeGreaterThan(600);
    expect(Math.max(...perMinute)).toBeLessThan(750);
  });

  test('is that of all regions of a project together', async () => {
    const family = createGoogleFamily({ clock: clockOf(bench), computeUrl: `${bench.gcp.computeUrl}/` });
    const start = bench.cloudClock.now();
    for (let index = 0; index < 60; index += 1) {
      const zone = index < 30 ? 'europe-west1-b' : 'us-east1-b';
      await family.discover([serviceAt('192.0.2.1')], { providerIds: [`gce://lab-project/${zone}/vm`] });
    }
    expect(bench.cloudClock.now() - start).toBeGreaterThanOrEqual(900);
  });

  test('is kept by attempts that repeat a call, too', async () => {
    const groups = await pool();
    const asked: (boolean | undefined)[] = [];
    const limited = openWith(asked);
    bench.gcp.faults.fail('rate-limit', { method: 'targetPools.getHealth' }, 2);
    await limited.readTargets(groups);
    expect(asked).toHaveLength(1 + 4 + 2);
  });
});

test.each([
  [true, ['queue', 'hurry', true, true]],
  [false, ['queue', false, false]],
])('all calls of a read go before those of others where a lock is held: %s', async (first, expected) => {
  const { groups } = await balancers.discover([serviceAt(await makeNodeGroups(openCompute(bench)))]);
  const asked: unknown[] = [];
  await openWith(asked).readTargets(groups, { first });
  expect(asked).toEqual(expected);
});

/** The adapter with a limiter that writes down what is asked of it. */
function openWith(asked: unknown[]): LoadBalancers {
  const limiter = {
    queue: () => {
      asked.push('queue');
      return { come: Promise.resolve(), hurry: () => void asked.push('hurry') };
    },
    acquire: async (first?: boolean) => void asked.push(first),
  };
  const computeUrl = `${bench.gcp.computeUrl}/`;
  const at = { project: 'lab-project', region: 'europe-west1', computeUrl };
  return createGoogleLoadBalancers({ ...at, clock: clockOf(bench), limiter });
}
