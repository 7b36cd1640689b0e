/** Which forwarding rules the adapter takes for those of a Service: addresses of IPv6, and addresses that several Services have. */
import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { nameOfTarget } from '../../../core/model/target-group.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { type Compute, makeNodeGroups, makePodGroups, openBalancerBench, podEndpoint, serviceAt } from './balancers.ts';
import { type GkeBench } from './support.ts';

let bench: GkeBench;
let balancers: LoadBalancers;
let compute: Compute;
beforeEach(async () => {
  ({ bench, balancers, compute } = await openBalancerBench());
});

const rules = 'regions/europe-west1/forwardingRules';
const describedAs = (service: string) => JSON.stringify({ 'networking.gke.io/service-name': service });

/** One more rule that leads to the backend service of that name. Returns its address. */
async function addRule(name: string, backend: string, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const backendService = compute.url(`regions/europe-west1/backendServices/${backend}`);
  await compute.send('POST', rules, { name, loadBalancingScheme: 'EXTERNAL', backendService, ...fields });
  return String((await compute.send('GET', `${rules}/${name}`))['IPAddress']);
}

describe('a Service with addresses of IPv4 and IPv6', () => {
  const ranged = async () =>
    await addRule('web-ipv6', 'web', { ipVersion: 'IPV6', description: describedAs('default/web') });

  test.each([
    ['as the rule has it, without its prefix length', (address: string) => address],
    ['in its canonical form', (address: string) => address.replace('0:0:1:0:0', '0:0:1::')],
  ])('is found by both, the latter %s', async (_, written) => {
    const hostnames = [await makeNodeGroups(compute), written((await ranged()).replace('/96', ''))];
    expect(hostnames[1]).toMatch(/^2600:1900:4180:0:0:1:/);
    const { groups, unsupported } = await balancers.discover([serviceAt(undefined, { hostnames })]);
    expect(unsupported).toEqual([]);
    expect(groups.map(({ name }) => name)).toEqual(['web']);
  });
});

describe('an endpoint with addresses of IPv4 and IPv6', () => {
  const ipv6 = (address: string) => `fd00:0:0:0:0:0:${address.split('.').slice(2).join(':')}`;
  const attach = async (own: (vm: (typeof compute.vms)[number]) => object) => {
    const web = await makePodGroups(compute);
    for (const vm of compute.vms) {
      const group = `zones/${vm.zone}/networkEndpointGroups/web`;
      await compute.send('POST', `${group}/detachNetworkEndpoints`, { networkEndpoints: [podEndpoint(vm)] });
      await compute.send('POST', `${group}/attachNetworkEndpoints`, { networkEndpoints: [own(vm)] });
    }
    bench.cloudClock.advance(60_000);
    const { groups } = await balancers.discover([web]);
    const [read] = await balancers.readTargets(groups);
    return new Map((read?.targets ?? []).map((target) => [nameOfTarget(target), target.state]));
  };

  test('that has only the latter has a state, under the address that its pod has in the cluster', async () => {
    const states = await attach((vm) => ({ instance: vm.name, ipv6Address: ipv6(vm.ip), port: 8_080 }));
    expect([...states.keys()].every((name) => /^fd00::\d+:\d+:8080$/.test(name))).toBe(true);
    expect([...states.values()]).toEqual(compute.vms.map(() => 'healthy'));
  });

  test('is as healthy as the worse of them', async () => {
    const [failing] = compute.vms;
    bench.gcp.model.failing.add(ipv6(failing?.ip ?? ''));
    const states = await attach((vm) => ({ ...podEndpoint(vm), ipv6Address: ipv6(vm.ip) }));
    expect([...states.values()].toSorted()).toEqual(['healthy', 'healthy', 'healthy', 'unhealthy']);
  });
});

describe('an address that several rules have', () => {
  const shared = { key: 'default/web' };
  const others = [
    ['another Service', { description: describedAs('default/dns') }],
    ['nobody, in another network', { description: '', network: 'global/networks/other' }],
  ] as const;

  test.each(others)('leads to the Service that one of them names, whatever is for %s', async (_, fields) => {
    const address = await makeNodeGroups(compute);
    await makeNodeGroups(compute, { name: 'dns' });
    await addRule('other', 'dns', { IPAddress: address, IPProtocol: 'UDP', ...fields });
    const { groups, unsupported } = await balancers.discover([serviceAt(address, shared)]);
    expect(unsupported).toEqual([]);
    expect(groups.map(({ name }) => name)).toEqual(['web']);
  });

  test('belongs to each of two Services that share it', async () => {
    const address = await makeNodeGroups(compute);
    await makeNodeGroups(compute, { name: 'dns' });
    await addRule('udp', 'dns', { IPAddress: address, IPProtocol: 'UDP', description: describedAs('default/dns') });
    const { groups, unsupported } = await balancers.discover([
      serviceAt(address),
      serviceAt(address, { key: 'default/dns', usesUdp: true }),
    ]);
    expect(unsupported).toEqual([]);
    const found = groups.map(({ service, name }) => `${service} ${name}`);
    expect(found.toSorted()).toEqual(['default/dns dns', 'default/web web']);
  });

  test('is of none of them when no rule names it', async () => {
    const address = await makeNodeGroups(compute);
    await addRule('other', 'web', { IPAddress: address, description: 'mine' });
    const { groups, unsupported } = await balancers.discover([serviceAt(address, { key: 'default/none' })]);
    expect(groups).toEqual([]);
    expect(unsupported).toMatchObject([{ service: 'default/none', why: 'not-managed' }]);
  });
});
