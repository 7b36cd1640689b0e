/** A small network for tests of the data plane: clients, a load balancer and some servers, one namespace each. */
import type { ChildProcess } from 'node:child_process';
import { removeLeftovers } from '../../../lab/cluster/cleanup.ts';
import { takeLock } from '../../../lab/cluster/lock.ts';
import type { ForwardingRule } from '../../../lab/contracts.ts';
import { directReturnRoutes } from '../../../lab/dataplane/passthrough.ts';
import { run, start, stop } from '../../../lab/process.ts';
import { NAMESPACE_PREFIX } from '../../../lab/which.ts';

/** Among the lab's own, so that `lab down` finds them. */
const PREFIX = `${NAMESPACE_PREFIX}dp-`;

/** The namespaces that are always there. */
export const CLIENT = `${PREFIX}cli`;
export const LOAD_BALANCER = `${PREFIX}lb`;

/** The load balancer's address and port in these tests. */
export const VIP = '10.0.200.1';
export const VIP_PORT = 80;

/** The same for a load balancer that passes packets through. There is no kube-proxy here, so the servers listen on this port themselves. */
export const PASSTHROUGH_VIP = '10.0.201.1';
export const PASSTHROUGH_PORT = 8080;

/** Four addresses that clients send from. */
export const CLIENT_ADDRESSES = [10, 11, 12, 13].map((last) => `10.9.0.${last}`);

const SERVER_PORT = PASSTHROUGH_PORT;

/** One server with its namespace; its name is also the pod name in its answers. */
export interface Server {
  readonly name: string;
  readonly namespace: string;
  readonly ip: string;
}

/** The network with its servers running. */
export interface Topology {
  readonly servers: readonly Server[];
  /** The load balancer's rule with these servers as targets. */
  rule(servers: readonly Server[]): ForwardingRule;
  /** The same for passthrough. */
  passthroughRule(servers: readonly Server[]): ForwardingRule;
  close(): Promise<void>;
}

/**
 * Builds the network, removing first what an earlier run may have left, and starts `app` on every server. Servers that answer directly have
 * PASSTHROUGH_VIP as an address, as kube-proxy takes what is sent to one. Holds the lab's lock: clean-up takes this network for a part of the lab.
 */
export async function createTopology(
  app: string,
  serverNames: readonly string[],
  answers: 'through the load balancer' | 'directly' = 'through the load balancer',
): Promise<Topology> {
  const servers = serverNames.map((name, n) => ({ name, namespace: `${PREFIX}${name}`, ip: `10.0.1.${11 + n}` }));
  const lock = await takeLock(() => undefined);
  await removeLeftovers();
  await connectClients();
  for (const server of servers) await connectServer(server);
  if (answers === 'directly') await connectDirectly(servers);
  const processes = servers.map((server) => serve(app, server));
  await Promise.all(servers.map(isReady));
  const rule = (targets: readonly Server[], part: Pick<ForwardingRule, 'mode' | 'vip' | 'port'>): ForwardingRule => ({
    loadBalancerName: 'test',
    dnsName: 'test.example.com',
    zone: 'a',
    ...part,
    targets: targets.map(({ name, ip }) => ({ instanceId: name, ip, port: SERVER_PORT })),
  });
  return {
    servers,
    rule: (targets) => rule(targets, { vip: VIP, port: VIP_PORT }),
    passthroughRule: (targets) => rule(targets, { mode: 'passthrough', vip: PASSTHROUGH_VIP, port: PASSTHROUGH_PORT }),
    async close() {
      await Promise.all(processes.map((process_) => stop(process_, 1_000)));
      await removeLeftovers();
      await lock.release();
    },
  };
}

/** Runs a command in a namespace and resolves with its output. */
export function inside(namespace: string, command: string, ...args: readonly string[]): Promise<string> {
  return run('nsenter', [`--net=/run/netns/${namespace}`, command, ...args]);
}

async function connectClients(): Promise<void> {
  for (const name of [CLIENT, LOAD_BALANCER]) await run('ip', ['netns', 'add', name]);
  await run('ip', [
    'link',
    'add',
    'out',
    'netns',
    CLIENT,
    'type',
    'veth',
    'peer',
    'name',
    'in',
    'netns',
    LOAD_BALANCER,
  ]);
  await batch(CLIENT, [
    'link set lo up',
    ...CLIENT_ADDRESSES.map((address) => `address add ${address}/24 dev out`),
    'link set out up',
    'route add default via 10.9.0.1',
  ]);
  await batch(LOAD_BALANCER, [
    'link add br0 type bridge',
    'address add 10.0.0.100/16 dev br0',
    'address add 10.9.0.1/24 dev in',
    'link set br0 up',
    'link set in up',
  ]);
}

async function connectServer({ name, namespace, ip }: Server): Promise<void> {
  await run('ip', ['netns', 'add', namespace]);
  await run('ip', [
    'link',
    'add',
    'e0',
    'netns',
    namespace,
    'type',
    'veth',
    'peer',
    'name',
    name,
    'netns',
    LOAD_BALANCER,
  ]);
  await batch(LOAD_BALANCER, [`link set ${name} master br0 up`]);
  await batch(namespace, [
    'link set lo up',
    `address add ${ip}/16 dev e0`,
    'link set e0 up',
    'route add default via 10.0.0.100',
  ]);
}

/** Gives clients a leg on the servers' network, where they receive what servers send them past the load balancer. */
async function connectDirectly(servers: readonly Server[]): Promise<void> {
  const { client, node } = directReturnRoutes('fabric');
  const ends = ['type', 'veth', 'peer', 'name', 'clients', 'netns', LOAD_BALANCER];
  await run('ip', ['link', 'add', 'fabric', 'netns', CLIENT, ...ends]);
  await batch(LOAD_BALANCER, ['link set clients master br0 up']);
  await batch(CLIENT, client);
  for (const { namespace } of servers) {
    await batch(namespace, [...node, `address add ${PASSTHROUGH_VIP}/32 dev lo`]);
  }
  const anySource = 'for file in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > $file; done';
  await inside(CLIENT, 'sh', '-ec', anySource);
  for (const { namespace } of servers) await inside(namespace, 'sh', '-ec', anySource);
}

function batch(namespace: string, commands: readonly string[]): Promise<string> {
  return run('ip', ['-netns', namespace, '-batch', '-'], { input: `${commands.join('\n')}\n` });
}

function serve(app: string, { name, namespace }: Server): ChildProcess {
  return start(app, ['-listen', `:${SERVER_PORT}`], {
    namespace,
    stdio: 'inherit',
    env: { ...process.env, POD_NAME: name, NODE_NAME: name, MAX_CONNECTION_AGE: '60s' },
  });
}

async function isReady({ namespace }: Server): Promise<void> {
  await inside(
    namespace,
    'curl',
    '-sf',
    '--retry',
    '50',
    '--retry-delay',
    '1',
    '--retry-connrefused',
    '-o',
    '/dev/null',
    `http://127.0.0.1:${SERVER_PORT}/readyz`,
  );
}
