/** What the adapter tells of load balancers of GKE, from what their controllers have made. */
import { nameOfTarget } from '../../../core/model/target-group.ts';
import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { decideConnectionsDrained, decideDeregistered } from '../../../core/waits/load-balancers.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { problemOf } from '../cases/refusal.ts';
import {
  type Compute,
  endpoint,
  makeIngressInstanceGroups,
  makeInstanceGroups,
  makeNodeGroups,
  makeTargetPool,
  openBalancerBench,
  serviceAt,
} from './balancers.ts';
import { calls, type GkeBench } from './support.ts';

const zones = ['europe-west1-b', 'europe-west1-c'];

let bench: GkeBench;
let balancers: LoadBalancers;
let compute: Compute;
beforeEach(async () => {
  ({ bench, balancers, compute } = await openBalancerBench());
});

const discover = async (...services: ServiceFacts[]) => await balancers.discover(services);
const groupAt = async (address: string) => {
  const { groups, unsupported } = await discover(serviceAt(address));
  expect(unsupported).toEqual([]);
  const [group, ...others] = groups;
  if (group === undefined || others.length > 0) throw new Error(`${groups.length} groups`);
  return group;
};
const statesAt = async (address: string) => {
  const [read] = await balancers.readTargets([await groupAt(address)]);
  return Object.fromEntries(
    (read?.targets ?? []).map((target) => [nameOfTarget(target), target.reason ?? target.state]),
  );
};
const all = (state: string) => Object.fromEntries(compute.vms.map(({ name }) => [name, state]));
const settle = () => bench.cloudClock.advance(2_000);

describe.each([
  ['a target pool', makeTargetPool, 'gce-target-pool', 0],
  ['groups of nodes', makeNodeGroups, 'gce-backend-service', 30_000],
  ['instance groups', makeInstanceGroups, 'gce-backend-service', 0],
] as const)('%s', (_what, make, kind, delayMs) => {
  test('is told with its Service, how it checks and how long it drains', async () => {
    expect(await groupAt(await make(compute))).toMatchObject({
      name: 'web',
      kind,
      service: 'default/web',
      loadBalancer: 'web',
      crossZone: true,
      zones,
      deregistrationDelayMs: delayMs,
      healthCheck: { protocol: 'HTTP', port: '30100', timeoutMs: 1_000, healthyThreshold: 1 },
    });
  });

  test('has each node as a member, by the name of its VM and with its zone', async () => {
    const address = await make(compute);
    settle();
    const [read] = await balancers.readTargets([await groupAt(address)]);
    expect(read?.targets.map((target) => `${nameOfTarget(target)} ${target.zone} ${target.state}`).toSorted()).toEqual(
      compute.vms.map(({ name, zone }) => `${name} ${zone} healthy`).toSorted(),
    );
  });

  test('has one that fails its checks as unhealthy', async () => {
    const address = await make(compute);
    settle();
    const [failing] = compute.vms;
    bench.gcp.model.failing.add(failing?.name ?? '');
    expect(await statesAt(address)).toEqual({ ...all('healthy'), [failing?.name ?? '']: 'UNHEALTHY' });
  });

  test('that was deleted is a Conflict, and found no more', async () => {
    const address = await make(compute);
    const group = await groupAt(address);
    await compute.send('DELETE', 'regions/europe-west1/forwardingRules/web');
    const collection = kind === 'gce-target-pool' ? 'targetPools' : 'backendServices';
    await compute.send('DELETE', `regions/europe-west1/${collection}/web`);
    expect(await problemOf(balancers.readTargets([group]))).toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('web was deleted while it was being watched'),
    });
    expect((await discover(serviceAt(address))).groups).toEqual([]);
  });

  test('is read again when Google limits the rate or has an error', async () => {
    const address = await make(compute);
    settle();
    const group = await groupAt(address);
    bench.gcp.faults.fail('rate-limit', { service: 'compute' });
    bench.gcp.faults.fail('unavailable', { service: 'compute' });
    const [read] = await balancers.readTargets([group]);
    expect(read?.targets).toHaveLength(compute.vms.length);
  });
});

test.each([
  ['the nodes that host an endpoint, with policy Local', makeNodeGroups, 'Local', 'hosts-only'],
  ['a subset of the nodes, with policy Cluster', makeNodeGroups, 'Cluster', 'subset'],
  ['all nodes, with instance groups', makeInstanceGroups, 'Cluster', 'all-nodes'],
  ['all nodes, with a target pool', makeTargetPool, 'Local', 'all-nodes'],
] as const)('a load balancer has %s', async (_what, make, externalTrafficPolicy, membership) => {
  const { groups } = await discover(serviceAt(await make(compute), { externalTrafficPolicy }));
  const returnsAfterDrain = membership === 'all-nodes' ? undefined : true;
  expect(groups.map((group) => [group.membership, group.returnsAfterDrain])).toEqual([[membership, returnsAfterDrain]]);
  expect(groups.map(({ ignoresLabelValue }) => ignoresLabelValue)).toEqual([returnsAfterDrain]);
});

test.each([
  ['only with a cordon in instance groups of ingress-gce', makeIngressInstanceGroups, true],
  ['by itself in those of the cloud controller manager, unless others fill them', makeInstanceGroups, 'perhaps'],
  ['by itself in groups of nodes', makeNodeGroups, undefined],
] as const)('the label of a node is read %s', async (_what, make, withCordon) => {
  const { groups } = await discover(serviceAt(await make(compute)));
  expect(groups.map((group) => group.readsLabelWithCordon)).toEqual([withCordon === true ? true : undefined]);
  expect(groups.map((group) => group.mayReadLabelWithCordon)).toEqual([withCordon === 'perhaps' ? true : undefined]);
});

describe('a node of a group of nodes', () => {
  const detach = async (at: number) => {
    const vm = compute.vms[at];
    if (vm === undefined) throw new Error('no VM');
    const path = `zones/${vm.zone}/networkEndpointGroups/web/detachNetworkEndpoints`;
    await compute.send('POST', path, { networkEndpoints: [endpoint(vm)] });
    return vm.name;
  };

  test('drains for the time of the backend service when it is detached, and is absent after that', async () => {
    const address = await makeNodeGroups(compute);
    settle();
    const leaving = await detach(0);
    expect(await statesAt(address)).toMatchObject({ [leaving]: 'DRAINING' });
    bench.cloudClock.advance(29_000);
    expect(await statesAt(address)).toHaveProperty(leaving);
    bench.cloudClock.advance(2_000);
    expect(await statesAt(address)).not.toHaveProperty(leaving);
  });

  test('that drains and fails its checks is told as UNHEALTHY, which is no sign that it stays', async () => {
    const address = await makeNodeGroups(compute);
    settle();
    const leaving = await detach(0);
    bench.gcp.model.failing.add(leaving);
    expect(await statesAt(address)).toMatchObject({ [leaving]: 'UNHEALTHY' });
  });

  test('that does so is taken neither for one that stays nor for one that has left, until it is absent', async () => {
    const address = await makeNodeGroups(compute, { fields: { connectionDraining: { drainingTimeoutSec: 300 } } });
    settle();
    const name = await detach(0);
    bench.gcp.model.failing.add(name);
    const node = { name, uid: `uid-${name}`, instanceId: name, zone: zones[0] ?? '', createdAt: 0 };
    const group = await groupAt(address);
    const decide = async (excludedForMs: number) => {
      const groups = await balancers.readTargets([group]);
      return {
        left: decideDeregistered(node, groups, { excludedForMs, deadlineMs: 120_000 }),
        drained: decideConnectionsDrained(node, groups, excludedForMs, 0),
      };
    };
    expect(await decide(150_000)).toMatchObject({
      left: { done: false, isSelfResolving: true },
      drained: { done: false, reregistered: false },
    });
    bench.cloudClock.advance(301_000);
    expect(await decide(301_000)).toMatchObject({ left: { done: true }, drained: { done: true } });
  });

  test('drains for as long as its owner has set', async () => {
    const fields = { connectionDraining: { drainingTimeoutSec: 120 } };
    expect(await groupAt(await makeNodeGroups(compute, { fields }))).toMatchObject({ deregistrationDelayMs: 120_000 });
  });
});

test('a VM that leaves a target pool is absent at once', async () => {
  const address = await makeTargetPool(compute);
  settle();
  const [vm] = compute.vms;
  const instances = [{ instance: compute.url(`zones/${vm?.zone}/instances/${vm?.name}`) }];
  await compute.send('POST', 'regions/europe-west1/targetPools/web/removeInstance', { instances });
  expect(await statesAt(address)).not.toHaveProperty(vm?.name ?? '');
});

describe('a VM that a target pool still names', () => {
  test('though it is gone is no member, and takes nothing from the others', async () => {
    const address = await makeTargetPool(compute);
    settle();
    const [gone] = compute.vms;
    bench.gcp.model.instances.delete(`${gone?.zone}/${gone?.name}`);
    const { [gone?.name ?? '']: _gone, ...others } = all('healthy');
    expect(await statesAt(address)).toEqual(others);
  });

  test('though it is off is a member, of whose health nothing is known', async () => {
    const address = await makeTargetPool(compute);
    settle();
    const [off] = compute.vms;
    if (off !== undefined) off.status = 'TERMINATED';
    expect(await statesAt(address)).toEqual({ ...all('healthy'), [off?.name ?? '']: 'no health yet' });
  });

  test('is not known to be none when the pool is gone', async () => {
    const group = await groupAt(await makeTargetPool(compute));
    bench.gcp.faults.precede('targetPools.getHealth', () =>
      bench.gcp.model.resources.delete('regions/europe-west1/targetPools/web'),
    );
    expect(await problemOf(balancers.readTargets([group]))).toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('web was deleted while it was being watched'),
    });
  });
});

test('connections on unhealthy members stay, unless the backend service says never', async () => {
  const fields = { connectionTrackingPolicy: { connectionPersistenceOnUnhealthyBackends: 'NEVER_PERSIST' } };
  expect(await groupAt(await makeNodeGroups(compute, { fields }))).toMatchObject({
    terminatesUnhealthyConnections: true,
  });
});

describe('a Service', () => {
  test('that is no load balancer, or has no address yet, has nothing behind it and costs no call', async () => {
    const before = bench.gcp.requests.length;
    const found = await discover(serviceAt('203.0.113.1', { type: 'NodePort' }), serviceAt(undefined));
    expect(found).toEqual({ groups: [], unsupported: [] });
    expect(bench.gcp.requests).toHaveLength(before);
  });

  test('with rules for two protocols has one backend service', async () => {
    const address = await makeNodeGroups(compute);
    const description = '{"networking.gke.io/service-name":"default/web"}';
    const backendService = compute.url('regions/europe-west1/backendServices/web');
    const rule = { name: 'web-udp', IPAddress: address, description, backendService, loadBalancingScheme: 'EXTERNAL' };
    await compute.send('POST', 'regions/europe-west1/forwardingRules', rule);
    expect(await groupAt(address)).toMatchObject({ name: 'web' });
  });

  test('with an address that no forwarding rule has can’t be watched, and takes nothing from others', async () => {
    const address = await makeTargetPool(compute);
    const { groups, unsupported } = await discover(serviceAt('192.0.2.1', { key: 'default/old' }), serviceAt(address));
    expect(groups.map(({ service }) => service)).toEqual(['default/web']);
    expect(unsupported).toMatchObject([{ service: 'default/old', why: 'unknown-load-balancer' }]);
  });

  test('whose rule is for another Service can’t be watched', async () => {
    const address = await makeTargetPool(compute);
    const { groups, unsupported } = await discover(serviceAt(address, { key: 'default/other' }));
    expect(groups).toEqual([]);
    expect(unsupported).toMatchObject([{ service: 'default/other', why: 'not-managed' }]);
  });

  test('whose load balancer is a proxy has no nodes as members', async () => {
    const description = '{"networking.gke.io/service-name":"default/web"}';
    const rule = { name: 'web', description, loadBalancingScheme: 'EXTERNAL_MANAGED', target: 'targetTcpProxies/web' };
    await compute.send('POST', 'regions/europe-west1/forwardingRules', rule);
    const { IPAddress } = await compute.send('GET', 'regions/europe-west1/forwardingRules/web');
    const { unsupported } = await discover(serviceAt(String(IPAddress)));
    expect(unsupported).toMatchObject([{ service: 'default/web', why: 'other-targets' }]);
  });

  test('of which no more is asked than that brings no groups, with one call for all of them', async () => {
    const address = await makeTargetPool(compute);
    const before = bench.gcp.requests.length;
    const beside = [serviceAt(address), serviceAt('192.0.2.1', { key: 'default/old' })];
    const { groups, unsupported } = await balancers.discover([], { beside });
    expect(groups).toEqual([]);
    expect(unsupported.map(({ service }) => service)).toEqual(['default/old']);
    expect(bench.gcp.requests.slice(before).map(({ method }) => method)).toEqual(['forwardingRules.list']);
  });
});

test('the adapter only reads', async () => {
  const address = await makeNodeGroups(compute);
  const before = bench.gcp.requests.length;
  await statesAt(address);
  const made = bench.gcp.requests.slice(before).map(({ method }) => method);
  expect([...new Set(made)].toSorted()).toEqual([
    'backendServices.aggregatedList',
    'forwardingRules.list',
    'networkEndpointGroups.listNetworkEndpoints',
    'regionBackendServices.get',
    'regionHealthChecks.get',
    'regions.get',
  ]);
});

test('a caller without a permission is told which one', async () => {
  const address = await makeTargetPool(compute);
  bench.gcp.faults.fail('forbidden', { method: 'forwardingRules.list' });
  expect(await problemOf(discover(serviceAt(address)))).toMatchObject({
    code: 'Forbidden',
    hint: expect.stringContaining('compute.forwardingRules.list'),
  });
  expect(calls(bench.gcp, 'forwardingRules.list')).toHaveLength(1);
});
