/** What the adapter tells of groups of pods, which load balancers of GKE have as targets without a node in between. */
import './tls-roots.ts';
import { beforeEach, expect, test } from 'vitest';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { nameOfTarget } from '../../../core/model/target-group.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { problemOf } from '../cases/refusal.ts';
import { leadToPods, makePodGroups, openBalancers, openCompute, podEndpoint, serviceAt } from './balancers.ts';
import { calls, type GkeBench, openBench } from './support.ts';

const zones = ['europe-west1-b', 'europe-west1-c'];

let bench: GkeBench;
let balancers: LoadBalancers;
let compute: ReturnType<typeof openCompute>;
let web: ServiceFacts;
beforeEach(async () => {
  bench = await openBench();
  balancers = openBalancers(bench);
  compute = openCompute(bench);
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

test('without such a Service, nobody lists backend services', async () => {
  await balancers.discover([serviceAt(undefined)]);
  expect(calls(bench.gcp, 'backendServices.aggregatedList')).toEqual([]);
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
