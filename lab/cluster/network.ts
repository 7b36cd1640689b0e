/** Programs the address plan into the kernel: namespaces, the fabric's bridge, veth pairs, routes. */
import { directReturnRoutes } from '../dataplane/passthrough.ts';
import {
  ADDRESSES,
  clientAddresses,
  FABRIC,
  fabricPort,
  hardwareAddress,
  instanceNamespace,
  NAMESPACES,
  podSubnet,
  VIP_CIDR,
} from '../network-plan.ts';
import { attempt, run } from '../process.ts';

/** What the network needs to know about a node. */
export interface NodeAddress {
  readonly instanceId: string;
  readonly ip: string;
  /** Number of its pod subnet. */
  readonly number: number;
}

/** How answers reach clients: `gateway` where the load balancer translates addresses, and `direct` where it passes packets through. */
export type ReturnPath = 'gateway' | 'direct';

/** Creates the namespaces that exist once per lab and connects them. */
export async function createNetwork(returnPath: ReturnPath): Promise<void> {
  const { controlPlane, ...surroundings } = NAMESPACES;
  const { fabric, loadBalancer, client, operations } = surroundings;
  await ip([
    ...Object.values(surroundings).map((name) => `netns add ${name}`),
    fabricCable(loadBalancer, ADDRESSES.gateway, 'p-lb'),
    `link add cli0 netns ${loadBalancer} type veth peer name e0 netns ${client}`,
    `link add ops0 netns ${loadBalancer} type veth peer name e0 netns ${operations}`,
  ]);
  await Promise.all(Object.values(surroundings).map((name) => configureKernel(name)));
  await ip(
    [`link add ${FABRIC.bridge} type bridge`, `link set ${FABRIC.bridge} up`, 'link set lo up', ...plug('p-lb')],
    fabric,
  );
  await connectHost(controlPlane, ADDRESSES.controlPlane);
  await ip(
    [
      ...onFabric(ADDRESSES.gateway),
      `addr add ${ADDRESSES.clientGateway}/24 dev cli0`,
      'link set cli0 up',
      `addr add ${ADDRESSES.operationsGateway}/24 dev ops0`,
      'link set ops0 up',
      // An address of a load balancer without a listener on that port drops packets, as a real one does.
      `route add blackhole ${VIP_CIDR}`,
    ],
    loadBalancer,
  );
  await ip(edge(clientAddresses(), ADDRESSES.clientGateway), client);
  await ip(edge([ADDRESSES.operations], ADDRESSES.operationsGateway), operations);
  if (returnPath === 'direct') await connectClients();
}

/** Gives the clients a leg on the fabric, on which the answers of nodes arrive. */
async function connectClients(): Promise<void> {
  const { fabric, client } = NAMESPACES;
  const [device, port] = ['e1', 'p-cli'];
  await ip([`link add ${device} netns ${client} type veth peer name ${port} netns ${fabric}`]);
  await ip(plug(port), fabric);
  await ip(directReturnRoutes(device).client, client);
}

/** Creates the namespace of a host and connects it to the fabric; whatever is not on that, it reaches by the gateway. */
export async function connectHost(namespace: string, address: string): Promise<void> {
  await ip([`netns add ${namespace}`, fabricCable(namespace, address, fabricPort(address))]);
  await configureKernel(namespace);
  await ip(plug(fabricPort(address)), NAMESPACES.fabric);
  await ip([...onFabric(address), ...viaGateway()], namespace);
}

/** Creates the namespace of a node, connects it and adds routes to its pods everywhere. */
export async function connectNode(
  node: NodeAddress,
  others: readonly NodeAddress[],
  returnPath: ReturnPath,
): Promise<void> {
  const namespace = instanceNamespace(node.instanceId);
  await connectHost(namespace, node.ip);
  const answers = returnPath === 'direct' ? directReturnRoutes('e1').node : [];
  await ip([...others.flatMap((other) => wayTo(other)), ...answers], namespace);
  const everyone = [
    NAMESPACES.controlPlane,
    NAMESPACES.loadBalancer,
    ...others.map((other) => instanceNamespace(other.instanceId)),
  ];
  await Promise.all(everyone.map((name) => ip(wayTo(node), name)));
}

/**
 * Disconnects a node from the fabric between two packets. Nothing is notified, as when an instance loses power. Its neighbours keep sending packets
 * that nobody receives, as in a VPC.
 */
export async function unplugNode(node: NodeAddress): Promise<void> {
  await ip([`link set ${fabricPort(node.ip)} down`], NAMESPACES.fabric);
}

/** Removes a node's namespace and with it all its interfaces; its processes must have ended. */
export async function removeNodeNamespace(node: NodeAddress): Promise<void> {
  await attempt('ip', ['netns', 'del', instanceNamespace(node.instanceId)]);
}

/** Flushes all tracked connections in the given namespaces, so that one scenario does not disturb the next. */
export async function flushConntrack(namespaces: readonly string[]): Promise<void> {
  await Promise.all(namespaces.map((name) => run('nsenter', [`--net=/run/netns/${name}`, 'conntrack', '-F'])));
}

/**
 * Forgets in the given namespaces the connections that nobody has answered. A SYN that a node did not translate, because kube-proxy had no endpoint, leaves
 * an entry that keeps every later SYN from the same client port untranslated, for as long as `nf_conntrack_tcp_timeout_syn_sent` says: 120 s.
 */
export async function forgetUnanswered(namespaces: readonly string[]): Promise<void> {
  // With nothing to forget, conntrack exits with 1.
  const forget = ['conntrack', '-D', '-p', 'tcp', '--state', 'SYN_SENT'];
  await Promise.all(namespaces.map((name) => attempt('nsenter', [`--net=/run/netns/${name}`, ...forget])));
}

function fabricCable(namespace: string, address: string, port: string): string {
  return `link add e0 netns ${namespace} address ${hardwareAddress(address)} type veth peer name ${port} netns ${NAMESPACES.fabric}`;
}

function plug(port: string): readonly string[] {
  return [`link set ${port} master ${FABRIC.bridge}`, `link set ${port} up`];
}

function onFabric(address: string): readonly string[] {
  return ['link set lo up', `addr add ${address}/${FABRIC.prefixLength} dev e0`, 'link set e0 up'];
}

function viaGateway(): readonly string[] {
  return [`route add default via ${ADDRESSES.gateway}`, `route add ${VIP_CIDR} via ${ADDRESSES.gateway}`];
}

function edge(addresses: readonly string[], gateway: string): readonly string[] {
  return [
    'link set lo up',
    ...addresses.map((address) => `addr add ${address}/24 dev e0`),
    'link set e0 up',
    `route add default via ${gateway}`,
  ];
}

function wayTo(node: NodeAddress): readonly string[] {
  return [
    `neigh replace ${node.ip} lladdr ${hardwareAddress(node.ip)} dev e0 nud permanent`,
    `route replace ${podSubnet(node.number)} via ${node.ip}`,
  ];
}

/** Forwarding on; no ICMP redirects and no reverse-path filter, because routes here are not symmetric; no IPv6. */
async function configureKernel(namespace: string): Promise<void> {
  const settings = [
    ['net/ipv4/ip_forward', '1'],
    ['net/ipv4/conf/all/send_redirects', '0'],
    ['net/ipv4/conf/default/send_redirects', '0'],
    ['net/ipv4/conf/all/rp_filter', '0'],
    ['net/ipv4/conf/default/rp_filter', '0'],
    ['net/ipv6/conf/all/disable_ipv6', '1'],
    ['net/ipv6/conf/default/disable_ipv6', '1'],
  ] as const;
  const script = settings.map(([name, value]) => `[ ! -e /proc/sys/${name} ] || echo ${value} > /proc/sys/${name}`);
  await run('nsenter', [`--net=/run/netns/${namespace}`, 'sh', '-ec', script.join('\n')]);
}

/** Runs `ip` commands as one batch in a namespace, or in the root namespace when none is given. */
async function ip(lines: readonly string[], namespace?: string): Promise<void> {
  const where = namespace === undefined ? [] : ['-n', namespace];
  await run('ip', [...where, '-batch', '-'], { input: `${lines.join('\n')}\n` });
}
