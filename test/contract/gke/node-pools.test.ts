import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { liveInstances } from '../../../core/model/pool.ts';
import { problemOf } from '../cases/refusal.ts';
import { calls, type GkeBench, openBench, poolIn, seededPools, target } from './support.ts';

let bench: GkeBench;
beforeEach(async () => {
  bench = await openBench();
});

const create = async (size = 4) =>
  await bench.pools.replacement.createPool({ source: bench.web, target, size, run: 'run-1', token: 'run-1/surge' });
const replacement = () => ({ ...bench.web, name: 'web-new' });

test('the calls travel over TLS with the token of the metadata server', async () => {
  await bench.pools.describePool(bench.web);
  expect(calls(bench.gcp, 'GetNodePool').map(({ authorization }) => authorization)).toEqual(['Bearer lab-token']);
});

describe('creating a replacement', () => {
  test('clones the pool with the new version, our labels, and no smaller than its first size', async () => {
    await create();
    expect(calls(bench.gcp, 'CreateNodePool')[0]?.input['nodePool']).toMatchObject({
      name: 'web-new',
      version: '1.36',
      initialNodeCount: 2,
      locations: ['europe-west1-b', 'europe-west1-c'],
      autoscaling: { enabled: true, minNodeCount: 2, maxNodeCount: 4 },
      management: { autoUpgrade: true, autoRepair: true },
      config: {
        machineType: 'e2-medium',
        labels: { tier: 'web', 'nodeferry.dev/autoscaling': 'scale-1-4-0-0-balanced' },
        resourceLabels: { 'nodeferry-created-by': 'run-1', 'nodeferry-replaces': 'web' },
      },
    });
  });

  test('of a suspended source has the management that its owner chose', async () => {
    await bench.pools.scaling.suspend(bench.web);
    await create();
    expect(poolIn(bench.gcp, 'web').spec.management).toEqual({ autoUpgrade: false, autoRepair: false });
    expect(poolIn(bench.gcp, 'web-new').spec.management).toEqual({ autoUpgrade: true, autoRepair: true });
  });

  test('whose run is terminated leaves limits of the autoscaler that a cleanup finds and restores as the owner chose', async () => {
    await create();
    bench.cloudClock.advance(60_000);
    const { suspended } = await bench.pools.describePool(replacement());
    expect(suspended?.what).toEqual(['cluster autoscaler (1 to 4 nodes per zone)']);
    await bench.pools.scaling.restore(replacement(), suspended?.token);
    const { spec } = poolIn(bench.gcp, 'web-new');
    expect(spec.autoscaling).toMatchObject({ enabled: true, minNodeCount: 1, maxNodeCount: 4 });
    expect(spec.config?.labels).toEqual({ tier: 'web' });
    expect((await bench.pools.describePool(replacement())).suspended).toBeUndefined();
  });

  test('that the quota does not allow says so with Google’s numbers, and creates nothing', async () => {
    bench.gcp.faults.limitCpus(4);
    expect(await problemOf(create())).toMatchObject({
      code: 'CapacityUnavailable',
      message: expect.stringMatching(/resource "CPUS": request requires '8.0' and is short '4.0'/),
      hint: expect.stringContaining('quota'),
    });
    expect(await bench.pools.findPool(replacement())).toBeUndefined();
  });

  test('for which a zone has no resources tells so while its operation still runs', async () => {
    bench.gcp.faults.stockOut('europe-west1-c');
    await create();
    bench.cloudClock.advance(10_000);
    const facts = await bench.pools.describePool(replacement());
    expect([...bench.gcp.model.gkeOperations.values()].map(({ status }) => status)).toEqual(['RUNNING']);
    expect(facts).toMatchObject({ status: 'creating', desiredSize: 4 });
    expect(facts.instances.map(({ zone, state }) => [zone, state])).toEqual([
      ['europe-west1-b', 'running'],
      ['europe-west1-b', 'running'],
    ]);
    expect(facts.problems).toEqual([
      expect.stringMatching(/^ZONE_RESOURCE_POOL_EXHAUSTED: The zone '.*europe-west1-c'/),
    ]);
  });

  test('for which a zone has no resources is suspended with the instances that it has', async () => {
    bench.gcp.faults.stockOut('europe-west1-c');
    await create();
    bench.cloudClock.advance(10_000);
    expect(await problemOf(bench.pools.scaling.suspend(replacement()))).toMatchObject({ code: 'Conflict' });
    bench.cloudClock.advance(10_000);
    expect(await bench.pools.scaling.suspend(replacement())).not.toEqual([]);
    expect(await bench.pools.describePool(replacement())).toMatchObject({ status: 'active', desiredSize: 2 });
  });

  test('that somebody else creates keeps what it waits for when it is suspended', async () => {
    bench.gcp.faults.stockOut('europe-west1-c');
    await create();
    bench.cloudClock.advance(10_000);
    const pool = poolIn(bench.gcp, 'web-new');
    pool.spec = { ...pool.spec, config: { ...pool.spec.config, resourceLabels: {} } };
    expect(await problemOf(bench.pools.scaling.suspend(replacement()))).toMatchObject({ code: 'Conflict' });
    expect(await bench.pools.describePool(replacement())).toMatchObject({ status: 'creating', desiredSize: 4 });
  });

  test('is observed although one of its groups goes meanwhile', async () => {
    bench.gcp.faults.stockOut('europe-west1-c');
    await create();
    bench.cloudClock.advance(10_000);
    bench.gcp.faults.precede('instanceGroupManagers.listErrors', () => bench.gcp.model.groups.clear());
    expect((await bench.pools.describePool(replacement())).problems).toEqual([]);
  });

  test('by somebody without the permission names it', async () => {
    bench.gcp.faults.fail('forbidden', { method: 'CreateNodePool' });
    expect(await problemOf(create())).toMatchObject({
      code: 'Forbidden',
      hint: expect.stringContaining('container.clusters.update'),
    });
    expect(calls(bench.gcp, 'CreateNodePool')).toHaveLength(1);
  });
});

test('once the old pool is deleted, the autoscaler of its replacement has the limits that the owner chose', async () => {
  await create();
  bench.cloudClock.advance(10_000);
  await bench.pools.scaling.suspend(bench.web);
  for (const { instanceId } of await bench.pools.observeInstances(bench.web)) {
    await bench.pools.terminateInstance(bench.web, instanceId);
  }
  bench.cloudClock.advance(10_000);
  expect(poolIn(bench.gcp, 'web-new').spec.autoscaling).toMatchObject({ minNodeCount: 2 });
  await bench.pools.replacement.deletePool(bench.web, {});
  expect(poolIn(bench.gcp, 'web-new').spec.autoscaling).toMatchObject({
    enabled: true,
    minNodeCount: 1,
    maxNodeCount: 4,
  });
  expect(poolIn(bench.gcp, 'web-new').spec.config).toMatchObject({
    labels: { tier: 'web' },
    resourceLabels: { 'nodeferry-created-by': 'run-1', 'nodeferry-replaces': 'web' },
  });
});

describe('before anything is changed', () => {
  const mayCreate = async (changes: Partial<typeof target> = {}) =>
    await bench.pools.replacement.requireMayCreate({ source: bench.web, target: { ...target, ...changes } });

  test('a replacement that GKE would create is accepted', async () => {
    await mayCreate();
    await mayCreate({ version: '1.36.3-gke.1000' });
    await mayCreate({ version: undefined });
  });

  test.each([
    [{ version: '1.37' }, 'no nodes of version 1.37'],
    [{ version: '1.3' }, 'no nodes of version 1.3'],
    [{ launchTemplateVersion: '2' }, 'no launch templates'],
  ])('%j is refused', async (changes, message) => {
    expect(await problemOf(mayCreate(changes))).toMatchObject({
      code: 'ProviderRefused',
      message: expect.stringContaining(message),
    });
  });

  test('a pool whose own version GKE has withdrawn is refused, unless the policy names another', async () => {
    bench = await openBench({ pools: [{ ...seededPools[0], version: '1.35.7-gke.1000' }] });
    expect(await problemOf(mayCreate({ version: undefined }))).toMatchObject({
      code: 'ProviderRefused',
      message: expect.stringContaining('no longer offers nodes of its version 1.35.7-gke.1000'),
      hint: expect.stringMatching(/^Set spec.target.version .* 1.35.9-gke.2000/),
    });
    await mayCreate();
  });

  test('nodes that are newer than the control plane are refused', async () => {
    bench = await openBench({ version: '1.35.9-gke.2000' });
    expect(await problemOf(mayCreate())).toMatchObject({
      message: expect.stringContaining('newer than the control plane'),
    });
  });

  test('nodes of a newer patch version than the control plane are accepted, as GKE accepts them', async () => {
    bench = await openBench({ version: '1.35.8-gke.1000' });
    const newer = { ...target, version: '1.35.9-gke.2000' };
    await mayCreate(newer);
    const request = { source: bench.web, target: newer, size: 4, run: 'run-1', token: 'run-1/surge' };
    await bench.pools.replacement.createPool(request);
    expect(poolIn(bench.gcp, 'web-new').spec.version).toBe(newer.version);
  });

  test('a pool whose nodes come by ProvisioningRequests only is refused', async () => {
    bench = await openBench({ pools: [{ ...seededPools[0], queuedProvisioning: { enabled: true } }] });
    expect(await problemOf(mayCreate())).toMatchObject({ message: expect.stringContaining('queued provisioning') });
  });

  test('an Autopilot cluster is refused, with the reason', async () => {
    bench = await openBench({ autopilot: true });
    expect(await problemOf(mayCreate())).toMatchObject({
      code: 'ProviderRefused',
      message: expect.stringContaining('Autopilot node pools cannot be accessed or modified'),
    });
  });

  test('a pool of node auto-provisioning is refused', async () => {
    bench = await openBench({ pools: [{ ...seededPools[0], autoscaling: { enabled: true, autoprovisioned: true } }] });
    expect(await problemOf(mayCreate())).toMatchObject({ message: expect.stringContaining('auto-provisioning') });
  });
});

describe('a zonal cluster', () => {
  beforeEach(async () => {
    bench = await openBench({ location: 'europe-west1-c' });
  });

  test('has its pools in its zone, one group each', async () => {
    expect(await bench.pools.describePool(bench.web)).toMatchObject({
      zones: ['europe-west1-c'],
      desiredSize: 2,
      minSize: 1,
      maxSize: 4,
    });
    await create(3);
    bench.cloudClock.advance(10_000);
    expect(await bench.pools.describePool(replacement())).toMatchObject({ desiredSize: 3, zones: ['europe-west1-c'] });
  });

  test('is not found in its region', async () => {
    expect(await problemOf(bench.pools.findPool({ ...bench.web, region: 'europe-west1' }))).toMatchObject({
      code: 'PoolNotFound',
    });
  });
});

test('an autoscaler that somebody has switched on with another location policy gets that of the owner again', async () => {
  const autoscaling = { enabled: true, minNodeCount: 1, maxNodeCount: 4 };
  bench = await openBench({ pools: [{ ...seededPools[0], autoscaling: { ...autoscaling, locationPolicy: 'ANY' } }] });
  const suspended = await bench.pools.scaling.suspend(bench.web);
  const pool = poolIn(bench.gcp, 'web');
  pool.spec = { ...pool.spec, autoscaling: { ...autoscaling, locationPolicy: 'BALANCED' } };
  await bench.pools.scaling.restore(bench.web, suspended);
  expect(poolIn(bench.gcp, 'web').spec.autoscaling).toMatchObject({ ...autoscaling, locationPolicy: 'ANY' });
});

describe('zones that have lost more than another', () => {
  test.each(['rate-limit', 'unavailable', 'lost'] as const)(
    'are requested with the same request ID after %s, and with another one the next time',
    async (fault) => {
      const method = 'instanceGroupManagers.resize';
      const requestIds = () => new Set(calls(bench.gcp, method).map(({ input }) => input['requestId']));
      await bench.pools.scaling.suspend(bench.web);
      for (const time of [1, 2]) {
        const [first] = await bench.pools.observeInstances(bench.web);
        await bench.pools.terminateInstance(bench.web, first?.instanceId ?? '');
        bench.cloudClock.advance(10_000);
        bench.gcp.faults.fail(fault, { method }, 2);
        const zones = { 'europe-west1-b': 2, 'europe-west1-c': 2 };
        await bench.pools.size.restoreSize(bench.web, { size: 4, zones });
        bench.cloudClock.advance(10_000);
        expect(await bench.pools.observeInstances(bench.web)).toHaveLength(4);
        expect(calls(bench.gcp, method)).toHaveLength(3 * time);
        expect(requestIds().size).toBe(time);
      }
      expect(requestIds()).not.toContain(undefined);
    },
  );
});

test('a VM that is off is neither gone nor running: its pool is not deleted', async () => {
  await bench.pools.scaling.suspend(bench.web);
  const [off, ...others] = await bench.pools.observeInstances(bench.web);
  const vm = bench.gcp.model.instances.get(`${off?.zone}/${off?.instanceId}`);
  if (vm === undefined) throw new Error('no VM');
  vm.status = 'TERMINATED';
  expect(await bench.pools.observeInstance(bench.web, vm.name)).toBe('stopped');
  for (const { instanceId } of others) await bench.pools.terminateInstance(bench.web, instanceId);
  bench.cloudClock.advance(10_000);
  const facts = await bench.pools.describePool(bench.web);
  expect([liveInstances(facts), facts.problems]).toEqual([[vm.name], []]);
  expect(await problemOf(bench.pools.replacement.deletePool(bench.web, {}))).toMatchObject({
    message: expect.stringContaining(vm.name),
  });
  await bench.pools.terminateInstance(bench.web, vm.name);
  bench.cloudClock.advance(10_000);
  expect(await bench.pools.observeInstance(bench.web, vm.name)).toBe('terminated');
});

test('a VM is found wherever the list of all VMs has it: a page without it says nothing', async () => {
  const [wanted] = await bench.pools.observeInstances(bench.web);
  const { instances } = bench.gcp.model;
  const key = `${wanted?.zone}/${wanted?.instanceId}`;
  const vm = instances.get(key);
  if (vm === undefined) throw new Error('no VM');
  instances.delete(key);
  for (let at = 0; at < 600; at += 1) instances.set(`${vm.zone}/other-${at}`, { ...vm, name: `other-${at}` });
  instances.set(key, vm);
  expect(await bench.pools.observeInstance(bench.web, vm.name)).toBe('running');
  expect(await bench.pools.observeInstance(bench.web, 'nobody')).toBe('terminated');
});
