/** In a release channel, auto-upgrade and auto-repair can't be turned off: a maintenance exclusion keeps upgrades away. */
import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { entriesOf } from '../../support/suspension.ts';
import { calls, type GkeBench, openBench, poolIn, target } from './support.ts';

const theirs = { freeze: { startTime: { seconds: '1' }, endTime: { seconds: '2' } } };
const recurringWindow = { recurrence: 'FREQ=WEEKLY;BYDAY=SA' };

let bench: GkeBench;
beforeEach(async () => {
  bench = await openBench({
    channel: 'REGULAR',
    maintenance: { window: { recurringWindow, maintenanceExclusions: theirs } },
  });
});

const maintenance = () => bench.gcp.model.clusters.get('prod')?.maintenance.window;

test('suspending excludes upgrades of nodes for the time being, beside the windows and exclusions of others', async () => {
  const suspended = await bench.pools.scaling.suspend(bench.web);
  expect(suspended).toEqual(['scale-1-4-0-0-balanced', 'exclusion']);
  expect(await bench.pools.scaling.suspend(bench.web)).toEqual(suspended);
  expect(maintenance()).toMatchObject({
    recurringWindow,
    maintenanceExclusions: {
      freeze: { startTime: { seconds: '1' } },
      'nodeferry-web': { maintenanceExclusionOptions: { scope: 'NO_MINOR_OR_NODE_UPGRADES' } },
    },
  });
  expect(poolIn(bench.gcp, 'web').spec.management).toMatchObject({ autoUpgrade: true, autoRepair: true });
  expect(calls(bench.gcp, 'SetNodePoolManagement')).toEqual([]);
});

test('an exclusion that is half over is renewed when the pool is suspended again', async () => {
  const end = () => Number(maintenance()?.maintenanceExclusions?.['nodeferry-web']?.endTime?.seconds);
  await bench.pools.scaling.suspend(bench.web);
  const first = end();
  bench.cloudClock.advance(10 * 24 * 3_600_000);
  await bench.pools.scaling.suspend(bench.web);
  expect(end()).toBe(first);
  bench.cloudClock.advance(10 * 24 * 3_600_000);
  await bench.pools.scaling.suspend(bench.web);
  expect(end() - first).toBeGreaterThanOrEqual(20 * 24 * 3_600);
});

test('a window that somebody changes at the same moment stays as they set it', async () => {
  const cluster = bench.gcp.model.clusters.get('prod');
  if (cluster === undefined) throw new Error('no cluster');
  const weekend = { recurringWindow: { recurrence: 'FREQ=WEEKLY;BYDAY=SU' }, maintenanceExclusions: theirs };
  bench.gcp.faults.precede('SetMaintenancePolicy', () => {
    cluster.maintenance = { window: weekend, resourceVersion: '7' };
  });
  expect(entriesOf(await bench.pools.scaling.suspend(bench.web))).toContain('exclusion');
  expect(calls(bench.gcp, 'SetMaintenancePolicy').map(({ outcome }) => outcome)).toEqual(['FAILED_PRECONDITION', 'ok']);
  expect(maintenance()).toMatchObject(weekend);
  expect(Object.keys(maintenance()?.maintenanceExclusions ?? {})).toEqual(['freeze', 'nodeferry-web']);
});

describe('a new pool that GKE never completes for lack of resources', () => {
  const createWithoutEnd = async () => {
    bench.gcp.faults.stockOut();
    await bench.pools.replacement.createPool({
      source: bench.web,
      target,
      size: 4,
      run: 'run-1',
      token: 'run-1/surge',
    });
  };

  const creation = () => [...bench.gcp.model.gkeOperations.values()].find(({ type }) => type === 'CREATE_NODE_POOL');

  test('keeps nothing from being suspended that came first', async () => {
    await bench.pools.scaling.suspendFirst?.(bench.web);
    expect(Object.keys(maintenance()?.maintenanceExclusions ?? {})).toContain('nodeferry-web');
    expect(poolIn(bench.gcp, 'web').spec.autoscaling?.enabled).toBe(false);
    await createWithoutEnd();
    expect(entriesOf(await bench.pools.scaling.suspend(bench.web))).toEqual(['scale-1-4-0-0-balanced', 'exclusion']);
    expect(creation()?.status).toBe('PENDING');
  });

  test('does not keep repair and upgrades from being suspended where there is no release channel', async () => {
    bench = await openBench();
    await bench.pools.scaling.suspendFirst?.(bench.web);
    await createWithoutEnd();
    await bench.pools.scaling.suspend(bench.web);
    expect(poolIn(bench.gcp, 'web').spec.management).toMatchObject({ autoUpgrade: false, autoRepair: false });
    expect(creation()?.status).toBe('RUNNING');
  });

  test('keeps the exclusion away that comes after it, until GKE gives up', async () => {
    await createWithoutEnd();
    await bench.pools.scaling.suspend(bench.web);
    expect(creation()?.status).toBe('DONE');
  });
});

describe('a cluster in no release channel', () => {
  const changes = () => bench.gcp.requests.map(({ method }) => method).filter((method) => /^(Set|Update)/.test(method));

  test('has only the autoscaler switched off before a pool is created, and the rest while it is', async () => {
    bench = await openBench();
    await bench.pools.scaling.suspendFirst?.(bench.web);
    expect(poolIn(bench.gcp, 'web').spec.autoscaling?.enabled).toBe(false);
    expect(changes()).not.toContain('SetNodePoolManagement');
    const first = changes();
    await bench.pools.scaling.suspendFirst?.(bench.web);
    expect(changes(), 'a second call changes nothing').toEqual(first);
    await bench.pools.scaling.suspend(bench.web);
    expect(changes()).toContain('SetNodePoolManagement');
  });

  test('needs nothing before a pool is created where nothing scales the old one', async () => {
    bench = await openBench();
    poolIn(bench.gcp, 'web').spec.autoscaling = { enabled: false };
    await bench.pools.scaling.suspendFirst?.(bench.web);
    expect(changes()).toEqual([]);
  });
});

test('restoring removes the exclusion, and nothing of others', async () => {
  const suspended = await bench.pools.scaling.suspend(bench.web);
  await bench.pools.scaling.restore(bench.web, suspended);
  await bench.pools.scaling.restore(bench.web, suspended);
  expect(Object.keys(maintenance()?.maintenanceExclusions ?? {})).toEqual(['freeze']);
  expect(maintenance()).toMatchObject({ recurringWindow });
  expect(calls(bench.gcp, 'SetMaintenancePolicy')).toHaveLength(2);
});

describe('the exclusion of a pool does not outlive it', () => {
  const exclusions = () => Object.keys(maintenance()?.maintenanceExclusions ?? {});
  const endInstances = async () => {
    for (const { instanceId } of await bench.pools.observeInstances(bench.web)) {
      await bench.pools.terminateInstance(bench.web, instanceId);
    }
    bench.cloudClock.advance(10_000);
  };

  test.each(['as we have written them', 'from which somebody has removed ours'])(
    'when it is deleted with its labels %s',
    async (labels) => {
      await bench.pools.scaling.suspend(bench.web);
      await endInstances();
      if (labels !== 'as we have written them') poolIn(bench.gcp, 'web').spec.config = { resourceLabels: {} };
      await bench.pools.replacement.deletePool(bench.web, {});
      bench.cloudClock.advance(10_000);
      expect(await bench.pools.findPool(bench.web)).toBeUndefined();
      expect(exclusions()).toEqual(['freeze']);
    },
  );

  describe('when somebody else deletes it', () => {
    beforeEach(async () => {
      await bench.pools.scaling.suspend(bench.web);
      bench.gcp.model.clusters.get('prod')?.pools.delete('web');
      expect(exclusions()).toEqual(['freeze', 'nodeferry-web']);
    });

    test('and we would have', async () => {
      await bench.pools.replacement.deletePool(bench.web, {});
      expect(exclusions()).toEqual(['freeze']);
    });

    test('and its scaling is restored, whether or not it is known what was suspended', async () => {
      expect(await bench.pools.scaling.restore(bench.web, undefined)).toEqual([]);
      expect(exclusions()).toEqual(['freeze']);
    });

    test('and somebody cleans up who only knows its name', async () => {
      const orphaned = await bench.pools.scaling.findOrphaned?.(bench.web);
      expect(orphaned?.what).toEqual(['upgrades of nodes (maintenance exclusion nodeferry-web of the cluster)']);
      await bench.pools.scaling.restore(bench.web, orphaned?.token);
      expect(exclusions()).toEqual(['freeze']);
      expect(await bench.pools.scaling.findOrphaned?.(bench.web)).toBeUndefined();
    });
  });
});
