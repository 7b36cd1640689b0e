/** GKE has no request IDs and one operation at a time: what is lost is found again, and what is refused waits. */
import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { reconcile } from '../../../lab/gcp/compute/groups.ts';
import { startOperation } from '../../../lab/gcp/gke/operations.ts';
import { later } from '../../../lab/gcp/world.ts';
import { entriesOf } from '../../support/suspension.ts';
import { problemOf } from '../cases/refusal.ts';
import { calls, type GkeBench, openBench, poolIn, target } from './support.ts';

let bench: GkeBench;
beforeEach(async () => {
  bench = await openBench();
});

const operations = () => [...bench.gcp.model.gkeOperations.values()].map(({ type }) => type);
const request = () => ({ source: bench.web, target, size: 4, run: 'run-1', token: 'run-1/surge' });
const create = async (pools = bench.pools) => await pools.replacement.createPool(request());

/** Somebody else upgrades the cluster, for so long. */
function startUpgrade(ms: number): string {
  const { model } = bench.gcp;
  const cluster = model.clusters.get('prod');
  if (cluster === undefined) throw new Error('no cluster');
  return startOperation(model, cluster, { type: 'UPGRADE_MASTER', run: (done) => later(model, ms, () => done()) }).name;
}

/** The pool has no instance left, and its autoscaler rests. */
async function emptyWeb(): Promise<void> {
  await bench.pools.scaling.suspend(bench.web);
  for (const { instanceId } of await bench.pools.observeInstances(bench.web))
    await bench.pools.terminateInstance(bench.web, instanceId);
  bench.cloudClock.advance(10_000);
}

/** Somebody else raises the pool by one instance. */
function raiseWeb(): void {
  const { model } = bench.gcp;
  const group = [...model.groups.values()].find(({ name }) => name.includes('-web-'));
  if (group === undefined) throw new Error('no group');
  group.targetSize += 1;
  reconcile(model, group);
}

describe('while somebody else’s operation runs', () => {
  test.each([
    ['the present words', undefined],
    ['the earlier words', 'useEarlierConflictTexts'],
    ['words that do not name it', 'useNamelessConflicts'],
  ] as const)('a pool is created after it, asked for twice in all (%s)', async (_which, words) => {
    if (words !== undefined) bench.gcp.faults[words]();
    startUpgrade(60_000);
    await create();
    expect(operations()).toEqual(['UPGRADE_MASTER', 'CREATE_NODE_POOL']);
    expect(calls(bench.gcp, 'CreateNodePool').map(({ outcome }) => outcome)).toEqual(['FAILED_PRECONDITION', 'ok']);
  });

  test('for longer than we wait, the call says which one', async () => {
    const name = startUpgrade(3_600_000);
    expect(await problemOf(create())).toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(new RegExp(`creation: UPGRADE_MASTER ${name} of prod, since .* still runs`)),
      hint: expect.stringContaining('gcloud container operations list'),
    });
    expect(calls(bench.gcp, 'CreateNodePool')).toHaveLength(1);
  });

  test('that nobody can find, the call is repeated now and then, and says so in the end', async () => {
    startUpgrade(3_600_000);
    bench.gcp.faults.useNamelessConflicts();
    const cluster = bench.gcp.model.clusters.get('prod');
    for (const [name, operation] of bench.gcp.model.gkeOperations) {
      bench.gcp.model.gkeOperations.set(name, { ...operation, location: 'us-east1', cluster: cluster?.name ?? '' });
    }
    expect(await problemOf(create())).toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('Cluster is currently being created, deleted, updated or repaired'),
    });
    expect(calls(bench.gcp, 'CreateNodePool').length).toBeLessThanOrEqual(151);
  });

  const beforeChange = async () => {
    if ([...bench.gcp.model.gkeOperations.values()].every(({ status }) => status === 'DONE'))
      throw new Error('too late');
  };

  test.each([
    [
      'no pool is created',
      'CreateNodePool',
      async () => await bench.pools.replacement.createPool({ ...request(), beforeChange }),
    ],
    [
      'nothing is suspended',
      'UpdateNodePool',
      async () => await bench.pools.scaling.suspend(bench.web, { beforeChange }),
    ],
    [
      'nothing is suspended beforehand',
      'UpdateNodePool',
      async () => await bench.pools.scaling.suspendFirst?.(bench.web, { beforeChange }),
    ],
  ])('%s after it when the caller may change nothing any more', async (_what, method, act) => {
    startUpgrade(60_000);
    await expect(act()).rejects.toThrow('too late');
    expect(calls(bench.gcp, method).map(({ outcome }) => outcome)).toEqual(['FAILED_PRECONDITION']);
  });

  test('no pool is deleted after it when the caller may change nothing any more', async () => {
    await emptyWeb();
    startUpgrade(60_000);
    await expect(bench.pools.replacement.deletePool(bench.web, { beforeChange })).rejects.toThrow('too late');
    expect(operations()).not.toContain('DELETE_NODE_POOL');
  });

  test('no pool is deleted after it that has an instance by then', async () => {
    await emptyWeb();
    startUpgrade(60_000);
    later(bench.gcp.model, 30_000, raiseWeb);
    expect(await problemOf(bench.pools.replacement.deletePool(bench.web, {}))).toMatchObject({
      code: 'ProviderRefused',
      message: expect.stringContaining('it still has gke-'),
    });
    expect(operations()).not.toContain('DELETE_NODE_POOL');
  });

  test('settings are suspended after it, and restored', async () => {
    startUpgrade(60_000);
    const suspended = await bench.pools.scaling.suspend(bench.web);
    startUpgrade(60_000);
    expect(await bench.pools.scaling.restore(bench.web, suspended)).toEqual([]);
    expect(poolIn(bench.gcp, 'web').spec).toMatchObject({
      autoscaling: { enabled: true, minNodeCount: 1, maxNodeCount: 4 },
      management: { autoUpgrade: true, autoRepair: true },
      config: { labels: { tier: 'web' } },
    });
  });

  test('instances are terminated all the same: that is not an operation of GKE', async () => {
    startUpgrade(3_600_000);
    const [victim] = await bench.pools.observeInstances(bench.web);
    expect(await bench.pools.terminateInstance(bench.web, victim?.instanceId ?? '')).toEqual({
      outcome: 'terminating',
    });
  });
});

describe('when the answer is lost after the request took effect', () => {
  test.each([
    ['CreateNodePool', 'CREATE_NODE_POOL', create],
    ['DeleteNodePool', 'DELETE_NODE_POOL', async () => await bench.pools.replacement.deletePool(bench.web, {})],
  ] as const)('%s is not made twice', async (method, type, act) => {
    if (method === 'DeleteNodePool') await emptyWeb();
    bench.gcp.faults.fail('lost', { method });
    await act();
    bench.cloudClock.advance(30_000);
    expect(operations().filter((one) => one === type)).toEqual([type]);
  });

  test.each(['UpdateNodePool', 'SetNodePoolAutoscaling', 'SetNodePoolManagement'])(
    'suspending goes on after %s, and tells all of it',
    async (method) => {
      bench.gcp.faults.fail('lost', { method });
      const suspended = await bench.pools.scaling.suspend(bench.web);
      expect(entriesOf(suspended).toSorted()).toEqual(['repair', 'scale-1-4-0-0-balanced', 'upgrade']);
      expect(operations()).toEqual(['UPDATE_CLUSTER', 'UPDATE_CLUSTER', 'SET_NODE_POOL_MANAGEMENT']);
    },
  );
});

describe('when the worker dies half way', () => {
  test.each(['UpdateNodePool', 'SetNodePoolAutoscaling', 'SetNodePoolManagement'])(
    'the next one finishes a suspension that died with %s, and restores all of it',
    async (method) => {
      bench.gcp.faults.fail('forbidden', { method });
      expect(await problemOf(bench.pools.scaling.suspend(bench.web))).toMatchObject({ code: 'Forbidden' });
      const next = bench.restart();
      const suspended = await next.scaling.suspend(bench.web);
      expect(entriesOf(suspended).toSorted()).toEqual(['repair', 'scale-1-4-0-0-balanced', 'upgrade']);
      await next.scaling.restore(bench.web, undefined);
      expect(poolIn(bench.gcp, 'web').spec).toMatchObject({
        autoscaling: { enabled: true, minNodeCount: 1, maxNodeCount: 4 },
        management: { autoUpgrade: true, autoRepair: true },
      });
    },
  );

  test('the next one finds the pool that was being created', async () => {
    await create();
    await create(bench.restart());
    expect(operations()).toEqual(['CREATE_NODE_POOL']);
  });
});

test('a pool that somebody labels meanwhile keeps that label', async () => {
  await bench.pools.scaling.suspend(bench.web);
  const pool = poolIn(bench.gcp, 'web');
  pool.spec = {
    ...pool.spec,
    config: { ...pool.spec.config, labels: { ...pool.spec.config?.labels, team: 'shop' } },
  };
  pool.revision += 1;
  await bench.pools.scaling.restore(bench.web, undefined);
  expect(poolIn(bench.gcp, 'web').spec.config?.labels).toEqual({ tier: 'web', team: 'shop' });
});

test('no VM is recreated for what is recorded on a pool', async () => {
  const vms = () => [...bench.gcp.model.instances.values()].map(({ name, id }) => ({ name, id }));
  const before = vms();
  const suspended = await bench.pools.scaling.suspend(bench.web);
  await bench.pools.scaling.restore(bench.web, suspended);
  bench.cloudClock.advance(30_000);
  expect(vms()).toEqual(before);
});
