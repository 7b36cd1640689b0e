/** The real controllers of GKE on the simulated Google: what they make of Services, and what the exclusion label does to it. */

import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { nameOfTarget } from '../../core/model/target-group.ts';
import { makeProxies, proxyRule } from '../../lab/cluster/pod-proxies.ts';
import { parseLink } from '../../lab/gcp/compute/links.ts';
import { serviceAt } from '../contract/gke/balancers.ts';
import {
  createPod,
  createService,
  type GoogleCluster,
  membersIn,
  openBalancers,
  resourcesFor,
  startGoogleCluster,
} from './cluster.ts';

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';
const gate = 'cloud.google.com/load-balancer-neg-ready';
const balanced = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };

interface NodeJson {
  readonly spec: { readonly providerID?: string; readonly taints?: readonly { readonly key: string }[] };
}

let cluster: GoogleCluster;
beforeAll(async () => {
  cluster = await startGoogleCluster();
});
afterAll(async () => await cluster?.stop());
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(cluster.logs());
});

const byText = (a: readonly unknown[], b: readonly unknown[]) => String(a).localeCompare(String(b));

/** Names of the VMs, by their place in the list. */
const named = (...at: readonly number[]) => at.map((index) => cluster.vms[index]?.name ?? '').toSorted();
const vm = (at: number) => {
  const found = cluster.vms[at];
  if (found === undefined) throw new Error(`no VM ${at}`);
  return found;
};
const pool = () => membersIn(resourcesFor(cluster, 'targetPools', 'default/plain'));
const nodeGroups = (service: string) =>
  resourcesFor(cluster, 'networkEndpointGroups', service).filter(
    ({ fields }) => fields['networkEndpointType'] === 'GCE_VM_IP',
  );
const podGroups = () =>
  [...cluster.gcp.model.resources.values()].filter(({ path }) => path.endsWith('/networkEndpointGroups/web-pods'));
const podAddresses = () =>
  podGroups()
    .flatMap(({ backends }) => backends.map(({ ip, port }) => `${ip}:${port}`))
    .toSorted();
const service = async (name: string) =>
  await cluster.controlPlane.api<{
    readonly metadata: { readonly annotations?: Record<string, string> };
    readonly status: { readonly loadBalancer: { readonly ingress?: readonly { readonly ip: string }[] } };
  }>('GET', `/api/v1/namespaces/default/services/${name}`);
const addressFor = async (name: string) => (await service(name)).status.loadBalancer.ingress?.[0]?.ip;
const gateIn = async (pod: string) => {
  const { status } = await cluster.controlPlane.api<{
    readonly status: { readonly conditions: readonly { type: string; status: string; reason?: string }[] };
  }>('GET', `/api/v1/namespaces/default/pods/${pod}`);
  return status.conditions.find(({ type }) => type === gate);
};

/** Gives the first node the exclusion label with that value; null takes it away. */
const label = async (value: string | null) =>
  await cluster.controlPlane.api('PATCH', `/api/v1/nodes/${vm(0).name}`, {
    metadata: { labels: { [excludeLabel]: value } },
  });

test('the cloud controller manager knows the VM of each node', async () => {
  const nodes = async () => {
    const { items } = await cluster.controlPlane.api<{ readonly items: readonly NodeJson[] }>('GET', '/api/v1/nodes');
    return items
      .map(({ spec }) => [spec.providerID, (spec.taints ?? []).some(({ key }) => key.endsWith('/uninitialized'))])
      .toSorted(byText);
  };
  const known = cluster.vms.map(({ name, zone }) => [`gce://lab-project/${zone}/${name}`, false]);
  await expect.poll(nodes).toEqual(known.toSorted(byText));
  await cluster.startIngressGce();
});

describe('a Service of type LoadBalancer', () => {
  beforeAll(async () => {
    const { controlPlane } = cluster;
    await createPod(controlPlane, 'web-1', vm(0), '10.244.1.5');
    await createPod(controlPlane, 'web-2', vm(2), '10.244.3.5');
    await createService(controlPlane, 'plain', balanced);
    const internal = { 'networking.gke.io/load-balancer-type': 'Internal' };
    await createService(controlPlane, 'internal', balanced, internal);
    await createService(controlPlane, 'rbs', balanced, { 'cloud.google.com/l4-rbs': 'enabled' });
    const neg = { 'cloud.google.com/neg': JSON.stringify({ exposed_ports: { 80: { name: 'web-pods' } } }) };
    await createService(controlPlane, 'pods', { type: 'ClusterIP' }, neg);
  });

  test('has a target pool of all nodes when it is plain', async () => {
    await expect.poll(pool).toEqual(named(0, 1, 2, 3));
    await expect.poll(async () => await addressFor('plain')).toBeDefined();
    const [rule] = resourcesFor(cluster, 'forwardingRules', 'default/plain');
    expect(rule?.fields['IPAddress']).toBe(await addressFor('plain'));
    expect(rule?.fields['target']).toContain('/targetPools/');
  });

  test.each([
    ['internal', 'INTERNAL'],
    ['rbs', 'EXTERNAL'],
  ])('%s has a backend service with a group of the nodes that have its pods, per zone', async (name, scheme) => {
    const backendService = () => resourcesFor(cluster, 'backendServices', `default/${name}`)[0]?.fields;
    await expect.poll(() => membersIn(nodeGroups(name))).toEqual(named(0, 2));
    await expect.poll(async () => await addressFor(name)).toBeDefined();
    await expect.poll(() => (backendService()?.['backends'] as unknown[] | undefined)?.length).toBe(2);
    expect(backendService()).toMatchObject({
      loadBalancingScheme: scheme,
      connectionDraining: { drainingTimeoutSec: 30 },
    });
    expect((await service(name)).metadata.annotations).toMatchObject({
      'service.kubernetes.io/backend-service': expect.any(String),
      'cloud.google.com/neg-status': expect.stringContaining('network_endpoint_groups'),
    });
  });

  test('with groups of pods has them as its members', async () => {
    await expect.poll(podAddresses).toEqual(['10.244.1.5:8080', '10.244.3.5:8080']);
    // A group that no backend service has is not checked. The gate of a pod that the controller meets before its group is opened because it has none.
    await expect
      .poll(async () => await gateIn('web-1'))
      .toMatchObject({ status: 'True', reason: expect.stringMatching(/^LoadBalancerNeg(WithoutHealthCheck|Ready)$/) });
  });

  test('is told by the adapter, with its members', async () => {
    const balancers = openBalancers(cluster);
    const names = ['plain', 'internal', 'rbs'];
    const services = await Promise.all(
      names.map(async (name) => serviceAt(await addressFor(name), { key: `default/${name}` })),
    );
    const { groups, unsupported } = await balancers.discover(services);
    expect(unsupported).toEqual([]);
    expect(groups.map(({ service: key, kind }) => [key, kind]).toSorted(byText)).toEqual([
      ['default/internal', 'gce-backend-service'],
      ['default/plain', 'gce-target-pool'],
      ['default/rbs', 'gce-backend-service'],
    ]);
    const healthy = async () =>
      (await balancers.readTargets(groups))
        .map(({ service: key, targets }) => [
          key,
          ...targets
            .filter(({ state }) => state === 'healthy')
            .map(nameOfTarget)
            .toSorted(),
        ])
        .toSorted(byText);
    await expect.poll(healthy).toEqual([
      ['default/internal', ...named(0, 2)],
      ['default/plain', ...named(0, 1, 2, 3)],
      ['default/rbs', ...named(0, 2)],
    ]);
    expect(groups.map(({ deregistrationDelayMs }) => deregistrationDelayMs).toSorted((a, b) => a - b)).toEqual([
      0, 30_000, 30_000,
    ]);
  });

  test('loses a node with the exclusion label, but for its pods, and gets it again without', async () => {
    await label('true');
    await expect.poll(pool).toEqual(named(1, 2, 3));
    await expect.poll(() => membersIn(nodeGroups('internal'))).toEqual(named(2));
    await expect.poll(() => membersIn(nodeGroups('rbs'))).toEqual(named(2));
    expect(podAddresses()).toEqual(['10.244.1.5:8080', '10.244.3.5:8080']);
    await label(null);
    await expect.poll(pool).toEqual(named(0, 1, 2, 3));
    await expect.poll(() => membersIn(nodeGroups('internal'))).toEqual(named(0, 2));
    await expect.poll(() => membersIn(nodeGroups('rbs'))).toEqual(named(0, 2));
  });

  test('loses the node although Google refuses the first calls for the rate', async () => {
    cluster.gcp.faults.fail('rate-limit', { method: 'networkEndpointGroups.detachNetworkEndpoints' }, 2);
    cluster.gcp.faults.fail('rate-limit', { method: 'targetPools.removeInstance' });
    await label('true');
    await expect.poll(pool).toEqual(named(1, 2, 3));
    await expect.poll(() => membersIn([...nodeGroups('internal'), ...nodeGroups('rbs')])).toEqual(named(2, 2));
    await label(null);
    await expect.poll(pool).toEqual(named(0, 1, 2, 3));
    await expect.poll(() => membersIn([...nodeGroups('internal'), ...nodeGroups('rbs')])).toEqual(named(0, 0, 2, 2));
  });

  test('loses a node with the value false in its groups, and keeps it in its target pool', async () => {
    await label('false');
    await expect.poll(() => membersIn([...nodeGroups('internal'), ...nodeGroups('rbs')])).toEqual(named(2, 2));
    expect(pool()).toEqual(named(0, 1, 2, 3));
    await label(null);
    await expect.poll(() => membersIn([...nodeGroups('internal'), ...nodeGroups('rbs')])).toEqual(named(0, 0, 2, 2));
  });

  test('with groups of pods in a backend service opens the readiness gate of a pod once it is healthy there', async () => {
    const { gcp, controlPlane } = cluster;
    const { project, region, resources } = gcp.model;
    const config = new KubeConfig();
    config.loadFromFile(controlPlane.kubeconfig('admin'));
    onTestFinished(makeProxies(config, { computeUrl: gcp.computeUrl, project, region }));
    await expect.poll(() => resources.get(proxyRule(region, 'pods'))?.fields['IPAddress']).toMatch(/^10\.0\.200\./);
    const backends = resources.get(`regions/${region}/backendServices/pods`)?.fields['backends'] as { group: string }[];
    expect(backends.map(({ group }) => parseLink(group)).toSorted()).toEqual(
      podGroups()
        .map(({ path }) => path)
        .toSorted(),
    );
    gcp.model.failing.add('10.244.2.5');
    await createPod(controlPlane, 'web-3', vm(1), '10.244.2.5');
    await expect.poll(podAddresses).toContain('10.244.2.5:8080');
    await expect.poll(async () => (await gateIn('web-3'))?.reason).toBe('LoadBalancerNegNotReady');
    expect((await gateIn('web-3'))?.status).not.toBe('True');
    gcp.model.failing.clear();
    await expect
      .poll(async () => await gateIn('web-3'))
      .toMatchObject({ status: 'True', reason: 'LoadBalancerNegReady' });
  });

  test('has no node for a pod that begins to terminate, although the pod is still there', async () => {
    const { controlPlane } = cluster;
    controlPlane.kubectl(['delete', 'pod', 'web-2', '--grace-period=600', '--wait=false']);
    await expect.poll(() => membersIn(nodeGroups('rbs'))).not.toContain(vm(2).name);
    await expect
      .poll(() => podGroups().flatMap(({ backends }) => backends.filter(({ draining }) => !draining)))
      .toHaveLength(2);
    expect((await gateIn('web-2'))?.status).toBe('True');
    expect(pool()).toContain(vm(2).name);
  });
});

test('everything that the controllers have called is modelled', () => {
  const unknown = cluster.gcp.requests.filter(({ outcome }) => outcome === '501' || outcome === 'broken');
  expect([...new Set(unknown.map(({ method }) => method))]).toEqual([]);
});
