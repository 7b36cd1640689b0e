import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { problemOf } from '../cases/refusal.ts';
import { calls, type GkeBench, openBench } from './support.ts';

const method = 'instanceGroupManagers.deleteInstances';

let bench: GkeBench;
let victim: { readonly instanceId: string; readonly zone: string };
beforeEach(async () => {
  bench = await openBench();
  const [first] = await bench.pools.observeInstances(bench.web);
  if (first === undefined) throw new Error('no instance');
  victim = first;
});

const size = async () => (await bench.pools.describePool(bench.web)).desiredSize;
const terminate = async (id = victim.instanceId) => await bench.pools.terminateInstance(bench.web, id);
const requestIds = () => new Set(calls(bench.gcp, method).map(({ input }) => input['requestId']));

describe('deleting an instance', () => {
  test.each(['rate-limit', 'too-many', 'unavailable', 'internal', 'lost'] as const)(
    'is repeated with the same request ID after %s, and counts once',
    async (fault) => {
      bench.gcp.faults.fail(fault, { method }, 2);
      expect(await terminate()).toEqual({ outcome: 'terminating' });
      expect(calls(bench.gcp, method)).toHaveLength(3);
      expect(requestIds().size).toBe(1);
      expect(await size()).toBe(3);
    },
  );

  test.each([
    ['rate-limit', 'Throttled'],
    ['unavailable', 'ProviderUnavailable'],
  ] as const)('that goes on failing with %s is told as %s', async (fault, code) => {
    bench.gcp.faults.fail(fault, { method }, 10);
    expect(await problemOf(terminate())).toMatchObject({ code });
    expect(calls(bench.gcp, method)).toHaveLength(3);
  });

  test('is not repeated where it is not allowed, and names the permission', async () => {
    bench.gcp.faults.fail('forbidden', { method });
    expect(await problemOf(terminate())).toMatchObject({
      code: 'Forbidden',
      hint: expect.stringContaining('compute.instanceGroupManagers.update'),
    });
    expect(calls(bench.gcp, method)).toHaveLength(1);
  });

  test('after a crash between request and answer counts once', async () => {
    bench.gcp.faults.fail('lost', { method }, 3);
    expect(await problemOf(terminate())).toMatchObject({ code: 'ProviderUnavailable' });
    expect(await bench.restart().terminateInstance(bench.web, victim.instanceId)).toEqual({ outcome: 'already' });
    bench.cloudClock.advance(10_000);
    expect(await size()).toBe(3);
  });

  test('that Google accepts, and then fails to do, is told with its reason, and tried anew by the next attempt', async () => {
    bench.gcp.faults.failOperation(`compute.${method}`);
    bench.gcp.faults.failOperation(`compute.${method}`);
    for (const _attempt of [1, 2]) {
      expect(await problemOf(terminate())).toMatchObject({
        code: 'ProviderRefused',
        message: expect.stringContaining(
          `${victim.instanceId}: compute.${method} in ${victim.zone} failed: INTERNAL_ERROR`,
        ),
      });
    }
    expect(await size()).toBe(4);
    expect(await bench.restart().terminateInstance(bench.web, victim.instanceId)).toEqual({ outcome: 'terminating' });
    expect(await size()).toBe(3);
    expect(requestIds().size).toBe(3);
  });

  test('waits for its own operation alone, however many others run in the pool', async () => {
    const instances = await bench.pools.observeInstances(bench.web);
    const before = bench.gcp.requests.length;
    await Promise.all(instances.slice(0, 3).map(async ({ instanceId }) => await terminate(instanceId)));
    const made = bench.gcp.requests.slice(before).map((call) => call.method);
    expect(made).not.toContain('zoneOperations.list');
    expect(made.filter((one) => one === 'GetNodePool')).toHaveLength(3);
  });

  test('is another request for the VM that has taken its name', async () => {
    await terminate();
    bench.cloudClock.advance(10_000);
    const group = [...bench.gcp.model.groups.values()].find(({ zone }) => zone === victim.zone);
    if (group === undefined) throw new Error('no group');
    group.members.set(victim.instanceId, { name: victim.instanceId, action: 'NONE' });
    group.targetSize += 1;
    await terminate();
    expect(requestIds().size).toBe(2);
  });
});

test.each([
  ['delete', 'DELETING', 'terminating'],
  ['create again', 'RECREATING', 'terminating'],
  ['leave alone', 'NONE', 'running'],
] as const)('a VM that its group is about to %s is observed so while it still runs', async (_what, action, state) => {
  const group = [...bench.gcp.model.groups.values()].find(({ zone }) => zone === victim.zone);
  group?.members.set(victim.instanceId, { name: victim.instanceId, action });
  expect(bench.gcp.model.instances.get(`${victim.zone}/${victim.instanceId}`)?.status).toBe('RUNNING');
  expect(await bench.pools.observeInstance(bench.web, victim.instanceId)).toBe(state);
});

test('a VM that is off is about to be deleted all the same', async () => {
  const vm = bench.gcp.model.instances.get(`${victim.zone}/${victim.instanceId}`);
  const group = [...bench.gcp.model.groups.values()].find(({ zone }) => zone === victim.zone);
  if (vm === undefined) throw new Error('no VM');
  vm.status = 'TERMINATED';
  group?.members.set(vm.name, { name: vm.name, action: 'DELETING' });
  expect(await bench.pools.observeInstance(bench.web, vm.name)).toBe('terminating');
});

describe('the provider ID of a Node', () => {
  const providerId = (zone: string) => `gce://lab-project/${zone}/${victim.instanceId}`;

  test('names the VM as its name does', async () => {
    expect(await bench.pools.observeInstance(bench.web, providerId(victim.zone))).toBe('running');
    expect(await terminate(providerId(victim.zone))).toEqual({ outcome: 'terminating' });
    expect(await bench.pools.observeInstance(bench.web, victim.instanceId)).toBe('terminating');
  });

  test('with another zone names none: nothing is deleted', async () => {
    const elsewhere = providerId(victim.zone === 'europe-west1-b' ? 'europe-west1-c' : 'europe-west1-b');
    expect(await bench.pools.observeInstance(bench.web, elsewhere)).toBe('terminated');
    expect(await terminate(elsewhere)).toEqual({ outcome: 'already' });
    expect(calls(bench.gcp, method)).toEqual([]);
    expect(await size()).toBe(4);
  });
});

describe('where a zone is out of reach', () => {
  const state = async () => await bench.pools.observeInstance(bench.web, victim.instanceId);
  const otherZone = () => (victim.zone === 'europe-west1-b' ? 'europe-west1-c' : 'europe-west1-b');

  test('a VM is observed all the same if the zone is in another region', async () => {
    bench.gcp.faults.cutOff('zones/us-east1-b');
    expect(await state()).toBe('running');
    bench.gcp.model.instances.delete(`${victim.zone}/${victim.instanceId}`);
    expect(await state()).toBe('terminated');
  });

  test('no VM of the region that is not found counts as terminated', async () => {
    bench.gcp.faults.cutOff(`zones/${victim.zone}`);
    expect(await problemOf(state())).toMatchObject({
      code: 'ProviderUnavailable',
      message: expect.stringContaining(`zones/${victim.zone}`),
      hint: expect.stringContaining('tried again'),
    });
  });

  test('a VM whose zone is known is asked for there alone', async () => {
    const gone = `gce://lab-project/${victim.zone}/gke-prod-web-gone`;
    bench.gcp.faults.cutOff(`zones/${otherZone()}`);
    expect(await bench.pools.observeInstance(bench.web, gone)).toBe('terminated');
    bench.gcp.faults.cutOff(`zones/${victim.zone}`);
    expect(await problemOf(bench.pools.observeInstance(bench.web, gone))).toMatchObject({
      code: 'ProviderUnavailable',
    });
  });
});

test('a rate limit on reads is waited out', async () => {
  bench.gcp.faults.fail('rate-limit', { method: 'instanceGroupManagers.listManagedInstances' }, 2);
  bench.gcp.faults.fail('rate-limit', { method: 'GetNodePool' }, 2);
  expect(await bench.pools.observeInstances(bench.web)).toHaveLength(4);
});
