import { describe, expect, test } from 'vitest';
import { scriptedDataPlane } from '../scripted-data-plane.ts';
import { startCloud } from './support.ts';

const project = 'lab-project';
const region = 'europe-west1';
const zone = 'europe-west1-b';

/** Addresses of two pods on the same node; both listen on 8080. */
const [first, second] = ['10.244.1.5', '10.244.1.6'] as const;
const port = 8_080;

/** A proxy load balancer, in the region or global, with a group of these pods behind it. */
async function startProxy(scope: 'region' | 'global' = 'region') {
  const plane = scriptedDataPlane();
  const delays = { attachPropagationMs: 1_000, healthyPropagationMs: 500, detachPropagationMs: 4_000 };
  const { gce, gcp, clock } = await startCloud({ dataPlane: plane, delays });
  const vm = [...gcp.model.instances.values()].find((one) => one.zone === zone)?.name ?? '';
  const url = (path: string) => `${gcp.computeUrl}/compute/v1/projects/${project}/${path}`;
  const at = { project, zone, networkEndpointGroup: 'pods' };
  const endpoint = (ipAddress: string) => ({ instance: vm, ipAddress, port });
  const group = { name: 'pods', networkEndpointType: 'GCE_VM_IP_PORT' };
  await gce.networkEndpointGroups.insert({ project, zone, requestBody: group });
  const networkEndpoints = [endpoint(first), endpoint(second)];
  await gce.networkEndpointGroups.attachNetworkEndpoints({ ...at, requestBody: { networkEndpoints } });
  const below = scope === 'global' ? 'global' : `regions/${region}`;
  const check = {
    name: 'pods',
    type: 'HTTP',
    httpHealthCheck: { portSpecification: 'USE_SERVING_PORT', requestPath: '/readyz' },
    healthyThreshold: 1,
  };
  const service = {
    name: 'pods',
    loadBalancingScheme: 'EXTERNAL_MANAGED',
    connectionDraining: { drainingTimeoutSec: 30 },
    healthChecks: [url(`${below}/healthChecks/pods`)],
    backends: [{ group: url(`zones/${zone}/networkEndpointGroups/pods`) }],
  };
  const proxy = { name: 'pods', service: url(`${below}/backendServices/pods`) };
  const rule = {
    name: 'pods',
    loadBalancingScheme: 'EXTERNAL_MANAGED',
    IPProtocol: 'TCP',
    portRange: '80-80',
    target: url(`${below}/targetTcpProxies/pods`),
  };
  if (scope === 'global') {
    await gce.healthChecks.insert({ project, requestBody: check });
    await gce.backendServices.insert({ project, requestBody: service });
    await gce.targetTcpProxies.insert({ project, requestBody: proxy });
    await gce.globalForwardingRules.insert({ project, requestBody: rule });
  } else {
    await gce.regionHealthChecks.insert({ project, region, requestBody: check });
    await gce.regionBackendServices.insert({ project, region, requestBody: service });
    await gce.regionTargetTcpProxies.insert({ project, region, requestBody: proxy });
    await gce.forwardingRules.insert({ project, region, requestBody: rule });
  }
  return {
    plane,
    clock,
    receivers: () => plane.rules.map(({ targets }) => targets.map((target) => `${target.ip}:${target.port}`)),
    check: (...failing: readonly string[]) => plane.checkOnce((ip) => !failing.includes(ip)),
    detachFirst: async () => {
      const requestBody = { networkEndpoints: [endpoint(first)] };
      await gce.networkEndpointGroups.detachNetworkEndpoints({ ...at, requestBody });
    },
  };
}

describe('a pod behind a proxy', () => {
  test.each(['region', 'global'] as const)(
    'is checked on its own port and gets connections there from an address of the %s once it is healthy',
    async (scope) => {
      const { plane, clock, check, receivers } = await startProxy(scope);
      clock.advance(1_000);
      expect(plane.probes).toMatchObject([
        { ip: first, port, protocol: 'HTTP', path: '/readyz' },
        { ip: second, port },
      ]);
      check(second);
      clock.advance(500);
      expect(plane.rules).toMatchObject([{ mode: 'proxy', vip: '10.0.200.1', port: 80 }]);
      expect(receivers()).toEqual([[`${first}:${port}`]]);
      check();
      clock.advance(500);
      expect(receivers()).toEqual([[`${first}:${port}`, `${second}:${port}`]]);
    },
  );

  test('gets no connections while it is unhealthy, although no other pod is healthy', async () => {
    const { clock, check, receivers } = await startProxy();
    clock.advance(1_000);
    check(first, second);
    clock.advance(60_000);
    expect(receivers()).toEqual([[]]);
  });

  test('that is detached gets connections until that has spread, and those that it has are cut after draining', async () => {
    const { plane, clock, check, receivers, detachFirst } = await startProxy();
    clock.advance(1_000);
    check();
    clock.advance(500);
    await detachFirst();
    clock.advance(3_999);
    expect(receivers()).toEqual([[`${first}:${port}`, `${second}:${port}`]]);
    clock.advance(1);
    expect(receivers()).toEqual([[`${second}:${port}`]]);
    clock.advance(25_999);
    expect(plane.broken).toEqual([]);
    clock.advance(1);
    expect(plane.broken).toEqual([{ vip: '10.0.200.1', port: 80, targetIp: first, targetPort: port }]);
  });
});
