import { describe, expect, test } from 'vitest';
import type { GcpDelays } from '../../../lab/gcp/presets.ts';
import { scriptedDataPlane } from '../scripted-data-plane.ts';
import { startCloud } from './support.ts';

const project = 'lab-project';
const region = 'europe-west1';
const zone = 'europe-west1-b';

/** Times that tell from each other what happens when. */
const delays: Partial<GcpDelays> = {
  attachPropagationMs: 1_000,
  healthyPropagationMs: 500,
  unhealthyPropagationMs: 2_000,
  detachPropagationMs: 4_000,
};

/** A cloud with a data plane that the test plays, and the two VMs of one zone. */
async function startForwarding() {
  const plane = scriptedDataPlane();
  const cloud = await startCloud({ dataPlane: plane, delays });
  const { gce, gcp, clock } = cloud;
  const vms = [...gcp.model.instances.values()].filter((one) => one.zone === zone);
  const url = (path: string) => `${gcp.computeUrl}/compute/v1/projects/${project}/${path}`;
  const [first = '', second = ''] = vms.map(({ ip }) => ip);
  const receivers = () => plane.rules.map(({ targets }) => targets.map(({ ip }) => ip));
  const check = (times: number, ...failing: readonly string[]) => {
    for (let n = 0; n < times; n += 1) plane.checkOnce((ip) => !failing.includes(ip));
  };
  return { ...cloud, plane, gce, clock, vms, url, first, second, receivers, check };
}

/** The same with what ingress-gce makes for a Service: a group of endpoints, a health check, a backend service and a forwarding rule. */
async function startService({ drainingTimeoutSec = 30, attached = true, ports = ['80'] } = {}) {
  const cloud = await startForwarding();
  const { gce, vms, url, clock, check } = cloud;
  const at = { project, zone, networkEndpointGroup: 'web' };
  const endpoints = vms.map(({ name, ip }) => ({ instance: name, ipAddress: ip }));
  const attach = async (networkEndpoints = endpoints) => {
    await gce.networkEndpointGroups.attachNetworkEndpoints({ ...at, requestBody: { networkEndpoints } });
  };
  await gce.regionHealthChecks.insert({
    project,
    region,
    requestBody: {
      name: 'web',
      type: 'HTTP',
      httpHealthCheck: { port: 31_000, requestPath: '/healthz' },
      checkIntervalSec: 3,
      timeoutSec: 1,
      healthyThreshold: 1,
      unhealthyThreshold: 2,
    },
  });
  const group = { name: 'web', networkEndpointType: 'GCE_VM_IP' };
  await gce.networkEndpointGroups.insert({ project, zone, requestBody: group });
  if (attached) await attach();
  const backends = [{ group: url(`zones/${zone}/networkEndpointGroups/web`) }];
  await gce.regionBackendServices.insert({
    project,
    region,
    requestBody: {
      name: 'web',
      connectionDraining: { drainingTimeoutSec },
      healthChecks: [url(`regions/${region}/healthChecks/web`)],
      backends,
    },
  });
  const backendService = url(`regions/${region}/backendServices/web`);
  const rule = { name: 'web', loadBalancingScheme: 'INTERNAL', IPProtocol: 'TCP', ports, backendService };
  await gce.forwardingRules.insert({ project, region, requestBody: rule });
  return {
    ...cloud,
    attach,
    first: vms[0]?.ip ?? '',
    reattachFirst: () => attach(endpoints.slice(0, 1)),
    detachFirst: async () => {
      const requestBody = { networkEndpoints: endpoints.slice(0, 1) };
      await gce.networkEndpointGroups.detachNetworkEndpoints({ ...at, requestBody });
    },
    states: async () => {
      const list = { ...at, requestBody: { healthStatus: 'SHOW' } };
      const { items } = (await gce.networkEndpointGroups.listNetworkEndpoints(list)).data;
      return (items ?? []).map((one) => one.healths?.map(({ healthState }) => healthState).join());
    },
    patchService: async (requestBody: object) => {
      await gce.regionBackendServices.patch({ project, region, backendService: 'web', requestBody });
    },
    becomeHealthy: () => {
      clock.advance(1_000);
      check(1);
      clock.advance(500);
    },
  };
}

const flow = (targetIp: string, port = 80) => ({ vip: '10.0.201.1', port, targetIp, targetPort: port });

describe('a member of a backend service', () => {
  test('is checked once its attachment has spread, as the health check says, and is healthy after the threshold', async () => {
    const { plane, clock, states, check, first, second } = await startService();
    clock.advance(999);
    expect(plane.probes).toEqual([]);
    clock.advance(1);
    const probe = { port: 31_000, protocol: 'HTTP', path: '/healthz', intervalMs: 3_000, timeoutMs: 1_000 };
    expect(plane.probes).toMatchObject([
      { ...probe, ip: first },
      { ...probe, ip: second },
    ]);
    expect(await states()).toEqual(['UNHEALTHY', 'UNHEALTHY']);
    check(1, second);
    expect(await states()).toEqual(['HEALTHY', 'UNHEALTHY']);
  });

  test('gets new connections on every port of the rule when its health has spread', async () => {
    const { plane, receivers, becomeHealthy, vms } = await startService({ ports: ['80', '443'] });
    becomeHealthy();
    expect(plane.rules.map(({ mode, vip, port }) => [mode, vip, port])).toEqual([
      ['passthrough', '10.0.201.1', 80],
      ['passthrough', '10.0.201.1', 443],
    ]);
    const ips = vms.map(({ ip }) => ip);
    expect(receivers()).toEqual([ips, ips]);
    expect(plane.rules[0]?.targets.map(({ instanceId }) => instanceId)).toEqual(vms.map(({ name }) => name));
  });

  test('that is unhealthy gets no new connections after a while, and keeps those that it has', async () => {
    const { plane, clock, receivers, becomeHealthy, check, states, first, second } = await startService();
    becomeHealthy();
    check(1, first);
    check(1);
    check(1, first);
    expect(await states()).toEqual(['HEALTHY', 'HEALTHY']);
    check(1, first);
    expect(await states()).toEqual(['UNHEALTHY', 'HEALTHY']);
    clock.advance(1_999);
    expect(receivers()).toEqual([[first, second]]);
    clock.advance(1);
    expect(receivers()).toEqual([[second]]);
    check(1);
    clock.advance(500);
    expect(receivers()).toEqual([[first, second]]);
    expect(plane.broken).toEqual([]);
  });

  test('gets new connections although it is unhealthy when all are', async () => {
    const { clock, receivers, becomeHealthy, check, first, second } = await startService();
    becomeHealthy();
    check(2, first, second);
    clock.advance(2_000);
    expect(receivers()).toEqual([[first, second]]);
  });

  test('that was just attached gets no connections beside one that is healthy', async () => {
    const { clock, receivers, check, attach, first, second } = await startService({ attached: false });
    expect(receivers()).toEqual([[]]);
    await attach();
    clock.advance(1_000);
    check(1, second);
    clock.advance(500);
    expect(receivers()).toEqual([[first]]);
  });
});

describe('a member that is detached', () => {
  test('gets new connections until that has spread, and those that it has are cut when their draining is over', async () => {
    const { plane, clock, receivers, becomeHealthy, detachFirst, states, first, second } = await startService();
    becomeHealthy();
    await detachFirst();
    expect(await states()).toEqual(['DRAINING', 'HEALTHY']);
    clock.advance(3_999);
    expect(receivers()).toEqual([[first, second]]);
    clock.advance(1);
    expect(receivers()).toEqual([[second]]);
    clock.advance(25_999);
    expect(plane.broken).toEqual([]);
    clock.advance(1);
    expect(plane.broken).toEqual([flow(first)]);
    expect(await states()).toEqual(['HEALTHY']);
    expect(plane.probes.map(({ ip }) => ip)).toEqual([second]);
  });

  test('drains for as long as the backend service says now', async () => {
    const { plane, clock, becomeHealthy, detachFirst, patchService } = await startService();
    becomeHealthy();
    await patchService({ connectionDraining: { drainingTimeoutSec: 300 } });
    await detachFirst();
    clock.advance(299_999);
    expect(plane.broken).toEqual([]);
    clock.advance(1);
    expect(plane.broken).toHaveLength(1);
  });

  test('without draining is cut at once, and again when it has spread', async () => {
    const { plane, clock, becomeHealthy, detachFirst, first } = await startService({ drainingTimeoutSec: 0 });
    becomeHealthy();
    await detachFirst();
    expect(plane.broken).toEqual([flow(first)]);
    clock.advance(4_000);
    expect(plane.broken).toEqual([flow(first), flow(first)]);
    clock.advance(60_000);
    expect(plane.broken).toHaveLength(2);
  });

  test('and attached again while it drains keeps its connections and gets new ones', async () => {
    const { plane, clock, receivers, becomeHealthy, detachFirst, reattachFirst, first, second } = await startService();
    becomeHealthy();
    await detachFirst();
    clock.advance(10_000);
    expect(receivers()).toEqual([[second]]);
    await reattachFirst();
    clock.advance(1_000);
    expect(receivers()[0]?.toSorted()).toEqual([first, second].toSorted());
    clock.advance(60_000);
    expect(plane.broken).toEqual([]);
  });

  test('with its whole group is cut at once', async () => {
    const { plane, clock, receivers, becomeHealthy, patchService, first, second } = await startService();
    becomeHealthy();
    await patchService({ backends: [] });
    expect(plane.broken).toEqual([flow(first), flow(second)]);
    clock.advance(4_000);
    expect(receivers()).toEqual([[]]);
  });
});

test('a VM that is deleted keeps its new connections until its checks have failed', async () => {
  const { clock, gce, gcp, receivers, becomeHealthy, check, vms, first, second } = await startService();
  becomeHealthy();
  const group = [...gcp.model.groups.values()].find((one) => one.zone === zone);
  await gce.instanceGroupManagers.deleteInstances({
    project,
    zone,
    instanceGroupManager: group?.name ?? '',
    requestBody: { instances: [`zones/${zone}/instances/${vms[0]?.name}`] },
  });
  clock.advance(60_000);
  expect(receivers()).toEqual([[first, second]]);
  check(2, first);
  clock.advance(2_000);
  expect(receivers()).toEqual([[second]]);
});

describe('a target pool', () => {
  /** What the cloud controller manager makes for a Service. */
  const startPool = async () => {
    const cloud = await startForwarding();
    const { gce, vms, url } = cloud;
    const instances = vms.map(({ name }) => url(`zones/${zone}/instances/${name}`));
    const check = { name: 'web', port: 31_000, requestPath: '/healthz', healthyThreshold: 1, unhealthyThreshold: 3 };
    await gce.httpHealthChecks.insert({ project, requestBody: check });
    const healthChecks = [url('global/httpHealthChecks/web')];
    await gce.targetPools.insert({ project, region, requestBody: { name: 'web', instances, healthChecks } });
    const target = url(`regions/${region}/targetPools/web`);
    const rule = { name: 'web', IPProtocol: 'TCP', portRange: '80-80', target };
    await gce.forwardingRules.insert({ project, region, requestBody: rule });
    const at = { project, region, targetPool: 'web' };
    const stateOf = async (instance: string | undefined) =>
      (await gce.targetPools.getHealth({ ...at, requestBody: { instance: instance ?? '' } })).data.healthStatus?.[0]
        ?.healthState;
    return { ...cloud, at, instances, stateOf };
  };

  test('checks its VMs by its own kind of health check', async () => {
    const { plane, clock, check, receivers, stateOf, instances, first, second } = await startPool();
    clock.advance(1_000);
    expect(plane.probes).toMatchObject([
      { ip: first, port: 31_000, protocol: 'HTTP', path: '/healthz', intervalMs: 5_000, timeoutMs: 5_000 },
      { ip: second },
    ]);
    check(1, second);
    expect([await stateOf(instances[0]), await stateOf(instances[1])]).toEqual(['HEALTHY', 'UNHEALTHY']);
    clock.advance(500);
    expect(plane.rules[0]).toMatchObject({ vip: '203.0.113.1', port: 80 });
    expect(receivers()).toEqual([[first]]);
  });

  test('does not drain a VM that leaves', async () => {
    const { gce, plane, clock, receivers, at, instances, first, second } = await startPool();
    clock.advance(1_000);
    await gce.targetPools.removeInstance({ ...at, requestBody: { instances: [{ instance: instances[0] ?? '' }] } });
    expect(plane.broken).toMatchObject([{ vip: '203.0.113.1', targetIp: first }]);
    clock.advance(4_000);
    expect(receivers()).toEqual([[second]]);
  });
});

test('a VM that leaves an instance group drains as its backend service says', async () => {
  const { gce, plane, clock, vms, url, first } = await startForwarding();
  const at = { project, zone, instanceGroup: 'nodes' };
  const instances = vms.map(({ name }) => ({ instance: url(`zones/${zone}/instances/${name}`) }));
  await gce.instanceGroups.insert({ project, zone, requestBody: { name: 'nodes' } });
  await gce.instanceGroups.addInstances({ ...at, requestBody: { instances } });
  const backends = [{ group: url(`zones/${zone}/instanceGroups/nodes`) }];
  const service = { name: 'web', connectionDraining: { drainingTimeoutSec: 20 }, backends };
  await gce.regionBackendServices.insert({ project, region, requestBody: service });
  const backendService = url(`regions/${region}/backendServices/web`);
  await gce.forwardingRules.insert({
    project,
    region,
    requestBody: { name: 'web', loadBalancingScheme: 'INTERNAL', ports: ['80'], backendService },
  });
  clock.advance(1_000);
  await gce.instanceGroups.removeInstances({ ...at, requestBody: { instances: instances.slice(0, 1) } });
  clock.advance(19_999);
  expect(plane.broken).toEqual([]);
  clock.advance(1);
  expect(plane.broken).toEqual([flow(first)]);
});

test('a forwarding rule for another protocol than TCP forwards nothing', async () => {
  const { gce, plane } = await startForwarding();
  const rule = { name: 'dns', IPProtocol: 'UDP', portRange: '53-53' };
  await gce.forwardingRules.insert({ project, region, requestBody: rule });
  expect(plane.rules).toEqual([]);
});
