/** What the adapter tells of groups of pods, which load balancers of GKE have as targets without a node in between. */
import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { nameOfTarget } from '../../../core/model/target-group.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { problemOf } from '../cases/refusal.ts';
import { type Compute, leadToPods, makePodGroups, openBalancerBench, podEndpoint, serviceAt } from './balancers.ts';
import { calls, type GkeBench } from './support.ts';

const zones = ['europe-west1-b', 'europe-west1-c'];

let bench: GkeBench;
let balancers: LoadBalancers;
let compute: Compute;
let web: ServiceFacts;
beforeEach(async () => {
  ({ bench, balancers, compute } = await openBalancerBench());
  web = await makePodGroups(compute);
});

const groupsOf = async (service: ServiceFacts) => (await balancers.discover([service])).groups;
const statesOf = async (service: ServiceFacts) => {
  const read = await balancers.readTargets(await groupsOf(service));
  return Object.fromEntries(read.flatMap(({ targets }) => targets.map((one) => [nameOfTarget(one), one.state])));
};
const pods = () => compute.vms.map((vm) => ({ vm, name: `${podEndpoint(vm).ipAddress}:8080` }));
const all = (state: string) => Object.fromEntries(pods().map(({ name }) => [name, state]));
const settle = () => bench.cloudClock.advance(2_000);

test('a Service without a load balancer of its own has the groups that its annotation names', async () => {
  expect(await balancers.discover([web])).toEqual({ groups: [expect.anything()], unsupported: [] });
  expect(await groupsOf(web)).toMatchObject([
    {
      name: 'web',
      kind: 'gce-pod-endpoints',
      membership: 'pods',
      service: 'default/web',
      loadBalancer: 'web',
      zones,
      deregistrationDelayMs: 45_000,
      returnsAfterDrain: true,
      deregistration: { controllerMs: 30_000, propagationMs: 10_000 },
    },
  ]);
});

test('each pod is a target by its address and port, with its zone and its health', async () => {
  settle();
  expect(await statesOf(web)).toEqual(all('healthy'));
  const [read] = await balancers.readTargets(await groupsOf(web));
  expect(read?.targets.map(({ kind, zone }) => `${kind} ${zone}`).toSorted()).toEqual(
    pods()
      .map(({ vm }) => `pod ${vm.zone}`)
      .toSorted(),
  );
});

test('a pod that is taken out drains, and is absent after that', async () => {
  settle();
  const [first] = pods();
  if (first === undefined) throw new Error('no pod');
  const group = `zones/${first.vm.zone}/networkEndpointGroups/web`;
  await compute.send('POST', `${group}/detachNetworkEndpoints`, { networkEndpoints: [podEndpoint(first.vm)] });
  expect(await statesOf(web)).toEqual({ ...all('healthy'), [first.name]: 'draining' });
  bench.cloudClock.advance(45_000);
  expect(await statesOf(web)).toEqual(without(first.name));
});

test('groups that two backend services have are told once for each', async () => {
  await leadToPods(compute, { name: 'web', fields: { name: 'second', connectionDraining: { drainingTimeoutSec: 5 } } });
  const told = (await groupsOf(web)).map(({ loadBalancer, deregistrationDelayMs: ms }) => `${loadBalancer} ${ms}`);
  expect(told.toSorted()).toEqual(['second 5000', 'web 45000']);
  settle();
  const read = await balancers.readTargets(await groupsOf(web));
  expect(read.map(({ targets }) => targets.length)).toEqual([4, 4]);
});

test('groups that no backend service has get no connections, and are left out', async () => {
  const podGroups = { names: ['unused'], zones, zonesNeedCandidate: true };
  expect(await groupsOf(serviceAt(undefined, { key: 'default/unused', type: 'ClusterIP', podGroups }))).toEqual([]);
});

test('backend services of another region may be out of reach, those of its own may not', async () => {
  bench.gcp.faults.cutOff('regions/us-east1');
  expect(await groupsOf(web)).toHaveLength(1);
  bench.gcp.faults.cutOff('regions/europe-west1');
  expect(await problemOf(groupsOf(web))).toMatchObject({
    code: 'ProviderUnavailable',
    message: expect.stringContaining('regions/europe-west1'),
  });
});

test('without such a Service, nobody lists backend services', async () => {
  await balancers.discover([serviceAt(undefined)]);
  expect(calls(bench.gcp, 'backendServices.aggregatedList')).toEqual([]);
});

describe('a cluster with nodes in several subnets', () => {
  // Names as ingress-gce gives them (pkg/utils/namer/namer.go, NEG, NonDefaultSubnetNEG and NonDefaultSubnetCustomNEG).
  const generated = 'k8s1-01234567-default-web-80-08a4d9c0';
  const names = [
    ['generated', generated, 'k8s1-01234567-default-web-80-3be412-08a4d9c0'],
    [
      'generated and shortened',
      `k8s1-01234567-${'x'.repeat(33)}-5d10aaf3`,
      `k8s1-01234567-${'x'.repeat(26)}--3be412-5d10aaf3`,
    ],
    ['chosen', 'shop', 'shop-3be412'],
  ] as const;

  /** Half of the pods of each zone are in another group, with the subnet of their node. */
  const split = async (name: string, other: string) => {
    const service = await makePodGroups(compute, { name });
    for (const zone of zones) {
      const [moved] = compute.inZone(zone);
      if (moved === undefined) throw new Error('no VM');
      const groups = `zones/${zone}/networkEndpointGroups`;
      const networkEndpoints = [podEndpoint(moved)];
      await compute.send('POST', `${groups}/${name}/detachNetworkEndpoints`, { networkEndpoints });
      await compute.send('POST', groups, { name: other, networkEndpointType: 'GCE_VM_IP_PORT' });
      await compute.send('POST', `${groups}/${other}/attachNetworkEndpoints`, { networkEndpoints });
    }
    const backends = [name, other].flatMap((one) =>
      zones.map((zone) => ({ group: compute.url(`zones/${zone}/networkEndpointGroups/${one}`) })),
    );
    await compute.send('PATCH', `global/backendServices/${name}`, { backends });
    bench.cloudClock.advance(60_000);
    return service;
  };

  test.each(names)('has all pods of a Service in one group, when its name was %s', async (_, name, other) => {
    const service = await split(name, other);
    expect(await groupsOf(service)).toMatchObject([{ name, zones }]);
    expect(await statesOf(service)).toEqual(all('healthy'));
  });

  test.each([
    ['another port', 'k8s1-01234567-default-web-443-3be412-51c5a0c5'],
    ['another cluster', 'k8s1-89abcdef-default-web-80-3be412-08a4d9c0'],
    ['another Service', 'shop-3be412'],
  ])('has none of %s behind the same backend service', async (_, other) => {
    const service = await split(generated, other);
    expect(Object.keys(await statesOf(service))).toHaveLength(2);
  });
});

test('a group that was deleted meanwhile is a Conflict', async () => {
  const groups = await groupsOf(web);
  await compute.send('DELETE', 'global/backendServices/web');
  await compute.send('DELETE', `zones/${zones[0]}/networkEndpointGroups/web`);
  expect((await problemOf(balancers.readTargets(groups))).code).toBe('Conflict');
});

function without(name: string) {
  return Object.fromEntries(Object.entries(all('healthy')).filter(([key]) => key !== name));
}
