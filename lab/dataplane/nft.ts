/** The data plane of the simulated load balancers: nftables, connection tracking and routes in a network namespace. */
import type { BrokenFlows, DataPlane, ForwardingRule } from '../contracts.ts';
import { VIP_CIDR } from '../network-plan.ts';
import { attempt } from '../process.ts';
import { startHealthChecks } from './health-checks.ts';
import { nodeRoutes, REMOVE_NODE_RULES } from './passthrough.ts';
import { changeListeners, type Listeners, MARK_BREAK, MARK_BROKEN, renderTable, TABLE } from './ruleset.ts';
import { createSteering } from './steering.ts';

/** Idle timeout of TCP flows through a Network Load Balancer, in seconds (ELB user guide, "Connection idle timeout"). */
const IDLE_TIMEOUT_S = 350;

const SYSCTLS = {
  'net/ipv4/ip_forward': 1,
  'net/netfilter/nf_conntrack_tcp_timeout_established': IDLE_TIMEOUT_S,
  // A client gives up after some seconds. Longer-lived entries would only affect later clients with the same port.
  'net/netfilter/nf_conntrack_tcp_timeout_syn_sent': 15,
  // Packets with unexpected sequence numbers stay with their flow. Otherwise they would reach the client with the target's address.
  'net/netfilter/nf_conntrack_tcp_be_liberal': 1,
} as const;

const REMOVE_BROKEN_EVERY_MS = 10_000;
const TRIES = 20;

/** Where the data plane runs, and what to call when the kernel refuses something. */
interface DataPlaneOptions {
  /** Network namespace, by its name under /run/netns. */
  readonly namespace: string;
  /** Range of all load balancer addresses. */
  readonly vipCidr?: string;
  /** Called for every failure; without it the first failure rejects `settled()` and `close()`. */
  readonly onError?: (error: Error) => void;
}

/** The data plane with the operations for its owner. */
export interface LabDataPlane extends DataPlane {
  /** Resolves when everything requested so far is in force; rejects with the first failure that nobody was notified of. */
  settled(): Promise<void>;
  /** Stops the health checks and removes the rules. */
  close(): Promise<void>;
}

/**
 * Creates the data plane in an existing namespace. Calls return at once. Changes are made one after the other in the order of the calls; of rule sets
 * that accumulate meanwhile, only the last one is applied.
 */
export function createDataPlane(options: DataPlaneOptions): LabDataPlane {
  const { namespace, vipCidr = VIP_CIDR } = options;
  const checks = startHealthChecks({ namespace, onError: report });
  let wanted: readonly ForwardingRule[] | undefined = [];
  let breaks: BrokenFlows[] = [];
  let applied: readonly ForwardingRule[] = [];
  let listeners: Listeners = new Map();
  const steering = createSteering();
  let routed = 0;
  let generation = 0;
  let working = Promise.resolve();
  let busy = false;
  /** What is told later comes from models that have not heard of it yet. */
  let closed = false;
  let unreported: Error | undefined;
  let removeBrokenUntil = 0;

  function report(error: Error): void {
    if (options.onError) options.onError(error);
    else unreported ??= error;
  }

  async function work(): Promise<void> {
    while (wanted !== undefined || breaks.length > 0) {
      const rules = wanted;
      const flows = breaks;
      wanted = undefined;
      breaks = [];
      try {
        // Rules first: a broken flow must not be able to come back through the old ones.
        if (rules !== undefined) await apply(rules);
        for (const flow of flows) await breakFlow(flow);
      } catch (error) {
        report(error instanceof Error ? error : new Error(String(error)));
      }
    }
    busy = false;
  }

  async function apply(rules: readonly ForwardingRule[]): Promise<void> {
    await prepared;
    generation += 1;
    const change = changeListeners(listeners, rules, generation, steering);
    const added = [...steering.nodes].slice(routed);
    if (added.length > 0) await command(namespace, ['ip', '-batch', '-'], `${nodeRoutes(added).join('\n')}\n`);
    routed += added.length;
    for (const transaction of change.transactions) await nft(namespace, transaction);
    listeners = change.listeners;
    applied = rules;
  }

  async function breakFlow(flow: BrokenFlows): Promise<void> {
    const mark = steering.renew(flow);
    if (mark === undefined) return await markFlows(namespace, flow);
    // From now on, new connections have another mark.
    await apply(applied);
    await nft(namespace, `add element ip ${TABLE} broken { ${flow.vip} . ${flow.port} . ${mark} }\n`);
  }

  function wake(): void {
    if (busy || closed) return;
    busy = true;
    working = work();
  }

  const prepared = prepare(namespace, vipCidr).catch(report);
  const remover = setInterval(() => {
    if (Date.now() < removeBrokenUntil) void removeBroken(namespace).catch(report);
  }, REMOVE_BROKEN_EVERY_MS);
  wake();

  async function settled(): Promise<void> {
    await prepared;
    while (busy) await working;
    if (unreported !== undefined) throw unreported;
  }

  return {
    forward(rules) {
      wanted = rules;
      wake();
    },
    probe: (probes, onResult) => checks.replace(probes, onResult),
    breakFlows(flows) {
      breaks.push(...flows);
      removeBrokenUntil = Date.now() + IDLE_TIMEOUT_S * 1000;
      wake();
    },
    settled,
    async close() {
      clearInterval(remover);
      closed = true;
      await checks.close();
      await settled();
      await attempt('nsenter', [...inside(namespace), 'nft', 'delete', 'table', 'ip', TABLE]);
      await attempt('nsenter', [...inside(namespace), 'sh', '-c', REMOVE_NODE_RULES]);
    },
  };
}

async function prepare(namespace: string, vipCidr: string): Promise<void> {
  const script = Object.entries(SYSCTLS).map(([name, value]) => `echo ${value} > /proc/sys/${name}`);
  await command(namespace, ['sh', '-ec', [...script, REMOVE_NODE_RULES].join('\n')]);
  await nft(namespace, renderTable(vipCidr));
}

async function nft(namespace: string, transaction: string): Promise<void> {
  await command(namespace, ['nft', '-f', '-'], transaction);
}

/** Marks the established flows of one listener to one target; the rules break them with their next packet. */
async function markFlows(namespace: string, flow: BrokenFlows): Promise<void> {
  const selection = ['--orig-dst', flow.vip, '--orig-port-dst', String(flow.port)];
  const target = ['--reply-src', flow.targetIp, '--reply-port-src', String(flow.targetPort)];
  await conntrack(namespace, ['-U', '-p', 'tcp', ...selection, ...target, '--mark', String(MARK_BREAK)]);
}

/** Removes flows whose client was notified: the client's port is free again, and may be reused by a new connection. */
async function removeBroken(namespace: string): Promise<void> {
  await conntrack(namespace, ['-D', '-p', 'tcp', '--mark', String(MARK_BROKEN)]);
}

/** Runs conntrack until it succeeds: it stops half-way when a flow ends while it processes the list. */
async function conntrack(namespace: string, args: readonly string[]): Promise<void> {
  for (let tried = 1; ; tried++) {
    const { code, stderr } = await attempt('nsenter', [...inside(namespace), 'conntrack', ...args]);
    // With nothing to do, conntrack exits with 1 and says so.
    if (code === 0 || / 0 flow entries have been/.test(stderr)) return;
    if (tried === TRIES) throw new Error(`conntrack ${args.join(' ')}: ${stderr.trim()}`);
  }
}

async function command(namespace: string, words: readonly string[], input = ''): Promise<void> {
  const { code, stderr } = await attempt('nsenter', [...inside(namespace), ...words], { input });
  if (code !== 0) throw new Error(`${words.slice(0, 2).join(' ')} in ${namespace}: ${stderr.trim()}`);
}

function inside(namespace: string): readonly string[] {
  return [`--net=/run/netns/${namespace}`];
}
