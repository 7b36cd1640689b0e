/**
 * The load balancers as nftables rules. A Network Load Balancer is a stateful DNAT: a hash of the client's address and port selects the target of a
 * new connection, and connection tracking keeps it there for as long as the connection lives, whatever happens to the list of targets. A real one
 * treats a deregistered target the same way (ELB user guide for Network Load Balancers, "Deregistration delay"). A proxy is the same with the source
 * translated too, so that answers come back to it wherever nodes would send those to the client. It differs from a real proxy, which accepts a
 * connection before it has opened one to the target, in what a client sees of a target that is gone: a SYN without an answer, and not a reset. What is
 * passed through is in passthrough.ts; its listeners are changed here as well.
 */
import type { ForwardingRule } from '../contracts.ts';
import { renderMarks, renderPassthrough } from './passthrough.ts';
import type { Steering } from './steering.ts';

/** Name of the nftables table that holds everything the data plane does. */
export const TABLE = 'nodeferry-nlb';

/** Connection mark of a flow that must be broken; the next packet in either direction breaks it. */
export const MARK_BREAK = 1;

/** Connection mark of a flow whose client has been notified. */
export const MARK_BROKEN = 2;

/** Connection mark of a new flow through a proxy. It decides about the flow's first packet only, and the marks above may replace it. */
const MARK_PROXY = 3;

/** A listener in force: the map that leads to its chain, and the chain's rule. */
interface Listener {
  readonly map: 'listeners' | 'passthrough';
  readonly chain: string;
  readonly rule: string;
}

/** The listeners in force, by `address . port`. */
export type Listeners = ReadonlyMap<string, Listener>;

/** How to change from one set of listeners to another: three nftables transactions, to be applied one after the other. */
interface ListenersChange {
  readonly transactions: readonly string[];
  readonly listeners: Listeners;
}

/** Renders a transaction that creates the table again, without listeners: packets to `vipCidr` without a target are dropped. */
export function renderTable(vipCidr: string): string {
  return [
    // Adding the table first makes the deletion succeed on the first run, when there is none.
    `table ip ${TABLE} {`,
    '}',
    `delete table ip ${TABLE}`,
    `table ip ${TABLE} {`,
    '  map listeners {',
    '    type ipv4_addr . inet_service : verdict',
    '  }',
    ...renderUnknownConnections(vipCidr),
    ...renderChoice(),
    ...renderProxies(),
    ...renderForward(vipCidr),
    ...renderPassthrough(),
    '}',
    '',
  ].join('\n');
}

/**
 * Changes the listeners so that no packet sees half of the change. A transaction is atomic for the rules of the kernel, but not for a packet that is
 * being processed while it is committed: each look-up and each jump checks again which generation applies. So new chains exist before anything leads
 * to them, one look-up in `listeners` leads to the old chain or to the new one, and the old ones are deleted last. When the whole table was replaced,
 * forty times a second, one SYN in some ten thousand was dropped. Chains are never changed; `generation` makes their names unique. Throws when two
 * rules are for the same address and port.
 */
export function changeListeners(
  known: Listeners,
  rules: readonly ForwardingRule[],
  generation: number,
  steering: Steering,
): ListenersChange {
  refuseDuplicates(rules);
  const wanted = rules.filter((rule) => rule.targets.length > 0).map((rule) => [keyOf(rule), rule] as const);
  const listeners = new Map(
    wanted.map(([key, rule]) => {
      const passes = rule.mode === 'passthrough';
      const text = passes ? renderMarks(rule, steering) : renderTargets(rule);
      const now = known.get(key);
      if (now?.rule === text) return [key, now] as const;
      const map = passes ? ('passthrough' as const) : ('listeners' as const);
      return [key, { map, chain: chainName(rule, generation), rule: text }] as const;
    }),
  );
  const gone = [...known].filter(([key, { chain }]) => listeners.get(key)?.chain !== chain);
  const come = [...listeners].filter(([key, { chain }]) => known.get(key)?.chain !== chain);
  const transactions = [
    come.flatMap(([, { chain, rule }]) => [`add chain ip ${TABLE} ${chain}`, `add rule ip ${TABLE} ${chain} ${rule}`]),
    [
      ...gone.map(([key, { map, chain }]) => `delete element ip ${TABLE} ${map} { ${key} : goto ${chain} }`),
      ...come.map(([key, { map, chain }]) => `add element ip ${TABLE} ${map} { ${key} : goto ${chain} }`),
    ],
    gone.flatMap(([, { chain }]) => [`flush chain ip ${TABLE} ${chain}`, `delete chain ip ${TABLE} ${chain}`]),
  ];
  return {
    transactions: transactions.filter((lines) => lines.length > 0).map((lines) => `${lines.join('\n')}\n`),
    listeners,
  };
}

function renderTargets({ mode, targets }: ForwardingRule): string {
  const map = targets.map((target, n) => `${n} : ${target.ip} . ${target.port}`);
  const mark = mode === 'proxy' ? `ct mark set ${MARK_PROXY} ` : '';
  return `${mark}dnat ip to jhash ip saddr . tcp sport mod ${targets.length} map { ${map.join(', ')} }`;
}

/**
 * Packets of connections that the load balancer does not know (any more) are answered with a reset, as a real one does with connections that it
 * dropped after the idle timeout. Without this rule they would be sent to some target as if they were new.
 */
function renderUnknownConnections(vipCidr: string): string[] {
  return [
    '  chain unknown_connections {',
    '    type filter hook prerouting priority mangle; policy accept;',
    `    ip daddr ${vipCidr} tcp flags & (syn | rst) == 0 ct state new reject with tcp reset`,
    '  }',
  ];
}

function renderChoice(): string[] {
  return [
    '  chain choose {',
    '    type nat hook prerouting priority dstnat; policy accept;',
    '    ip daddr . tcp dport vmap @listeners',
    '  }',
  ];
}

/** Gives flows through a proxy the load balancer's own address as their source. */
function renderProxies(): string[] {
  return [
    '  chain proxy {',
    '    type nat hook postrouting priority srcnat; policy accept;',
    `    ct mark ${MARK_PROXY} masquerade`,
    '  }',
  ];
}

/**
 * Drops packets without a target and breaks marked flows. What the client sends is answered with a reset; what the target sends reaches the client as
 * a reset; and the target is reset in turn when it sends again.
 */
function renderForward(vipCidr: string): string[] {
  return [
    '  chain forward {',
    '    type filter hook forward priority filter; policy accept;',
    `    ip daddr ${vipCidr} drop`,
    `    ct mark ${MARK_BREAK} ct direction original ct mark set ${MARK_BROKEN} reject with tcp reset`,
    `    ct mark ${MARK_BREAK} ct direction reply ct mark set ${MARK_BROKEN} tcp flags set rst | ack accept`,
    `    ct mark ${MARK_BROKEN} reject with tcp reset`,
    '  }',
  ];
}

function keyOf({ vip, port }: ForwardingRule): string {
  return `${vip} . ${port}`;
}

function chainName({ vip, port }: ForwardingRule, generation: number): string {
  return `to_${vip.replaceAll('.', '_')}_${port}_${generation}`;
}

function refuseDuplicates(rules: readonly ForwardingRule[]): void {
  const seen = new Set<string>();
  for (const rule of rules) {
    const key = `${rule.vip}:${rule.port}`;
    if (seen.has(key)) throw new Error(`two forwarding rules for ${key}`);
    seen.add(key);
  }
}
