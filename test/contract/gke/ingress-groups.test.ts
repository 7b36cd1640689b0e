/** What the adapter tells of instance groups, to which load balancers of Ingresses send through a port of each node. */
import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { nameOfTarget } from '../../../core/model/target-group.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { problemOf } from '../cases/refusal.ts';
import { type Compute, makePodGroups, openBalancerBench, serviceAt } from './balancers.ts';
import { backendName, behindIngress, instanceGroup, makeBackend, makeSharedGroups } from './ingress-backends.ts';
import { calls, type GkeBench } from './support.ts';

const zones = ['europe-west1-b', 'europe-west1-c'];

let bench: GkeBench;
let balancers: LoadBalancers;
let compute: Compute;
beforeEach(async () => {
  ({ bench, balancers, compute } = await openBalancerBench());
  await makeSharedGroups(compute);
});

const web = behindIngress([backendName()]);
const groupsOf = async (...services: readonly ServiceFacts[]) => (await balancers.discover(services)).groups;
const statesOf = async (service: ServiceFacts) => {
  const read = await balancers.readTargets(await groupsOf(service));
  return Object.fromEntries(
    read.flatMap(({ targets }) => targets.map((one) => [nameOfTarget(one), one.reason ?? one.state])),
  );
};
const all = (state: string) => Object.fromEntries(compute.vms.map(({ name }) => [name, state]));
const settle = () => bench.cloudClock.advance(2_000);

test('a Service has the backend service that its Ingress names, with all nodes and how its controller reads labels', async () => {
  await makeBackend(compute);
  expect(await balancers.discover([web])).toEqual({ groups: [expect.anything()], unsupported: [] });
  expect(await groupsOf(web)).toMatchObject([
    {
      id: `global/backendServices/${backendName()}`,
      name: backendName(),
      kind: 'gce-backend-service',
      service: 'default/web',
      membership: 'all-nodes',
      readsLabelWithCordon: true,
      ignoresLabelValue: true,
      crossZone: true,
      zones,
      maxTargets: { targets: 1_000, perZone: true },
      deregistrationDelayMs: 0,
      terminatesConnectionsAfterDelay: true,
      healthCheck: { protocol: 'HTTP', port: '30080', intervalMs: 60_000, healthyThreshold: 1, unhealthyThreshold: 10 },
    },
  ]);
});

test('each node is a target by its VM, with its zone and its health', async () => {
  await makeBackend(compute);
  expect(await statesOf(web)).toEqual(all('UNHEALTHY'));
  settle();
  expect(await statesOf(web)).toEqual(all('healthy'));
  const [failing] = compute.vms;
  bench.gcp.model.failing.add(failing?.name ?? '');
  expect(await statesOf(web)).toEqual({ ...all('healthy'), [failing?.name ?? '']: 'UNHEALTHY' });
  const [read] = await balancers.readTargets(await groupsOf(web));
  expect(read?.targets.map(({ kind, zone }) => `${kind} ${zone}`).toSorted()).toEqual(
    compute.vms.map(({ zone }) => `instance ${zone}`).toSorted(),
  );
});

test('a node that its controller takes out is absent at once', async () => {
  await makeBackend(compute, { fields: { connectionDraining: { drainingTimeoutSec: 60 } } });
  settle();
  const [vm] = compute.vms;
  const instances = [{ instance: compute.url(`zones/${vm?.zone}/instances/${vm?.name}`) }];
  await compute.send('POST', `zones/${vm?.zone}/instanceGroups/${instanceGroup}/removeInstances`, { instances });
  const { [vm?.name ?? '']: _left, ...others } = all('healthy');
  expect(await statesOf(web)).toEqual(others);
});

test('two ports are two groups, each with its own health check', async () => {
  await makeBackend(compute);
  await makeBackend(compute, { port: 30_081 });
  const both = await groupsOf(behindIngress([backendName(), backendName(30_081)]));
  expect(both.map(({ name, healthCheck }) => `${name} ${healthCheck.port}`)).toEqual([
    `${backendName()} 30080`,
    `${backendName(30_081)} 30081`,
  ]);
});

test('connections drain for the longest time of all backend services that share the groups', async () => {
  await makeBackend(compute, { fields: { connectionDraining: { drainingTimeoutSec: 20 } } });
  expect(await groupsOf(web)).toMatchObject([{ deregistrationDelayMs: 20_000 }]);
  const fields = { connectionDraining: { drainingTimeoutSec: 60 } };
  await makeBackend(compute, { port: 30_081, service: 'default/api', fields });
  expect(await groupsOf(web)).toMatchObject([{ deregistrationDelayMs: 60_000 }]);
});

test('clients that a BackendConfig keeps at one node are sticky', async () => {
  await makeBackend(compute, { fields: { sessionAffinity: 'GENERATED_COOKIE' } });
  expect(await groupsOf(web)).toMatchObject([{ sticky: true }]);
});

describe('nothing is found', () => {
  test.each([
    ['of which the Ingress names no backend service', behindIngress([])],
    ['whose backend service is gone', behindIngress([backendName(30_099)])],
  ])('for a Service %s', async (_, service) => {
    await makeBackend(compute);
    expect(await balancers.discover([service])).toEqual({ groups: [], unsupported: [] });
  });

  test('where the port has gone to another Service since the Ingress was written', async () => {
    await makeBackend(compute, { service: 'default/api' });
    expect(await groupsOf(web)).toEqual([]);
  });

  test('where only another cluster of the project has a Service of that name', async () => {
    await makeBackend(compute, { cluster: '8f3b00c1deadbeef' });
    expect(await groupsOf(web)).toEqual([]);
  });

  test('where the backend service has no description that can be read', async () => {
    await makeBackend(compute, { fields: { description: 'default/web' } });
    expect(await groupsOf(web)).toEqual([]);
  });

  test('where it has no instance groups, or has others', async () => {
    await makeBackend(compute, { fields: { backends: [] } });
    expect(await groupsOf(web)).toEqual([]);
    const backends = [{ group: compute.url(`zones/${zones[0]}/networkEndpointGroups/web`) }];
    await compute.send('PATCH', `global/backendServices/${backendName()}`, { backends });
    expect(await groupsOf(web)).toEqual([]);
  });
});

test('a Service with groups of pods for other ports has both, and backend services are listed once', async () => {
  await makeBackend(compute);
  const { podGroups } = await makePodGroups(compute);
  const both = behindIngress([backendName()], podGroups && { podGroups });
  const found = await groupsOf(both);
  expect(found.map(({ membership, service }) => `${membership} ${service}`).toSorted()).toEqual([
    'all-nodes default/web',
    'pods default/web',
  ]);
  expect(calls(bench.gcp, 'backendServices.aggregatedList')).toHaveLength(1);
  settle();
  const read = await balancers.readTargets(found);
  expect(read.map(({ targets }) => targets.length)).toEqual([4, 4]);
});

test('without such a Service, nobody lists backend services', async () => {
  await balancers.discover([serviceAt(undefined), behindIngress([])]);
  expect(calls(bench.gcp, 'backendServices.aggregatedList')).toEqual([]);
});

test('a backend service that was deleted is a Conflict, and found no more', async () => {
  await makeBackend(compute);
  const groups = await groupsOf(web);
  await compute.send('DELETE', `global/backendServices/${backendName()}`);
  expect(await problemOf(balancers.readTargets(groups))).toMatchObject({
    code: 'Conflict',
    message: expect.stringContaining(`${backendName()} was deleted while it was being watched`),
  });
  expect(await groupsOf(web)).toEqual([]);
});

test('the adapter only reads, and says which permission it lacks', async () => {
  await makeBackend(compute);
  const before = bench.gcp.requests.length;
  const groups = await groupsOf(web);
  await balancers.readTargets(groups);
  const made = bench.gcp.requests.slice(before).map(({ method }) => method);
  expect([...new Set(made)].toSorted()).toEqual([
    'backendServices.aggregatedList',
    'backendServices.get',
    'backendServices.getHealth',
    'healthChecks.get',
    'instanceGroups.listInstances',
  ]);
  bench.gcp.faults.fail('forbidden', { method: 'backendServices.getHealth' });
  expect(await problemOf(balancers.readTargets(groups))).toMatchObject({
    code: 'Forbidden',
    hint: expect.stringContaining('compute.backendServices.get'),
  });
});
