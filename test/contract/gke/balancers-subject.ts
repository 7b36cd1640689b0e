import type { BalancersSubject } from '../cases/balancers-subject.ts';
import { endpoint, makeNodeGroups, openBalancers, openCompute, serviceAt } from './balancers.ts';
import { openBench } from './support.ts';

const region = 'regions/europe-west1';

/** The adapter of Google's load balancers, before the simulated Google with one backend service that ingress-gce has made. */
export async function openGoogleBalancers(): Promise<BalancersSubject> {
  const bench = await openBench();
  const compute = openCompute(bench);
  const address = await makeNodeGroups(compute);
  const settle = () => bench.cloudClock.advance(60_000);
  settle();
  const change = async (name: string, verb: 'attach' | 'detach') => {
    const vm = compute.vms.find((one) => one.name === name);
    if (vm === undefined) throw new Error(`no VM ${name}`);
    const path = `zones/${vm.zone}/networkEndpointGroups/web/${verb}NetworkEndpoints`;
    await compute.send('POST', path, { networkEndpoints: [endpoint(vm)] });
  };
  return {
    loadBalancers: openBalancers(bench),
    web: serviceAt(address),
    nodes: compute.vms.toSorted((a, b) => a.zone.localeCompare(b.zone)).map(({ name }) => name),
    cloud: {
      settle,
      deregister: async (name) => await change(name, 'detach'),
      register: async (name) => await change(name, 'attach'),
      failChecks: async (name) => void bench.gcp.model.failing.add(name),
      change: async () => {
        const connectionDraining = { drainingTimeoutSec: 120 };
        await compute.send('PATCH', `${region}/backendServices/web`, { connectionDraining });
      },
      removeTags: async () => void (await compute.send('PATCH', `${region}/forwardingRules/web`, { description: '' })),
      addPodTargets: async () => {
        const description = JSON.stringify({ 'networking.gke.io/service-name': 'default/web' });
        const proxy = { description, IPAddress: address, target: 'targetTcpProxies/web' };
        const loadBalancingScheme = 'EXTERNAL_MANAGED';
        await compute.send('POST', `${region}/forwardingRules`, { name: 'web-proxy', ...proxy, loadBalancingScheme });
      },
      deleteTargetGroup: async () => {
        await compute.send('DELETE', `${region}/forwardingRules/web`);
        await compute.send('DELETE', `${region}/backendServices/web`);
      },
    },
    close: async () => undefined,
  };
}
