/**
 * The load balancers as nftables rules. A Network Load Balancer is a stateful DNAT: a hash of the client's
 * address and port picks the target of a new connection, and connection tracking keeps it there for as long
 * as the connection lives, whatever becomes of the target list. That is how a real one treats a target that
 * was deregistered (ELB user guide for Network Load Balancers, "Deregistration delay").
 */
import type { ForwardingRule } from '../contracts.ts';

/** Name of the nftables table that holds everything the data plane does. */
export const TABLE = 'nodeferry-nlb';

/** Connection mark of a flow that is to be broken; the next packet in either direction breaks it. */
export const MARK_BREAK = 1;

/** Connection mark of a flow whose client has been told. */
export const MARK_BROKEN = 2;

/**
 * Renders one nftables transaction that replaces the whole table. The kernel switches from the old rules to
 * the new ones between two packets, so no connection sees a gap. `vipCidr` is the range of all load balancer
 * addresses: what is sent there and has no target is dropped. Throws when two rules claim the same address
 * and port.
 */
export function renderRuleset(rules: readonly ForwardingRule[], vipCidr: string): string {
  const listeners = rules.filter((rule) => rule.targets.length > 0);
  refuseDuplicates(rules);
  return [
    // Adding the table first makes the deletion succeed on the first run, when there is none.
    `table ip ${TABLE} {`,
    '}',
    `delete table ip ${TABLE}`,
    `table ip ${TABLE} {`,
    ...listeners.flatMap(renderListener),
    ...renderStrangers(vipCidr),
    ...renderChoice(listeners),
    ...renderForward(vipCidr),
    '}',
    '',
  ].join('\n');
}

function renderListener(rule: ForwardingRule): string[] {
  const targets = rule.targets.map((target, n) => `${n} : ${target.ip} . ${target.port}`);
  return [
    `  chain ${chainName(rule)} {`,
    `    dnat ip to jhash ip saddr . tcp sport mod ${targets.length} map { ${targets.join(', ')} }`,
    '  }',
  ];
}

/**
 * Packets of connections that the load balancer does not know (any more) are answered with a reset, as a real
 * one does with connections that it dropped after the idle timeout. Without this rule they would be given to
 * some target as if they were new.
 */
function renderStrangers(vipCidr: string): string[] {
  return [
    '  chain strangers {',
    '    type filter hook prerouting priority mangle; policy accept;',
    `    ip daddr ${vipCidr} tcp flags & (syn | rst) == 0 ct state new reject with tcp reset`,
    '  }',
  ];
}

function renderChoice(listeners: readonly ForwardingRule[]): string[] {
  const entries = listeners.map((rule) => `${rule.vip} . ${rule.port} : goto ${chainName(rule)}`);
  return [
    '  chain choose {',
    '    type nat hook prerouting priority dstnat; policy accept;',
    ...(entries.length === 0 ? [] : [`    ip daddr . tcp dport vmap { ${entries.join(', ')} }`]),
    '  }',
  ];
}

/**
 * Drops what got no target and breaks marked flows: what the client sends is answered with a reset, what the
 * target sends reaches the client as a reset, and the target is reset in turn when it sends again.
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

function chainName(rule: ForwardingRule): string {
  return `to_${rule.vip.replaceAll('.', '_')}_${rule.port}`;
}

function refuseDuplicates(rules: readonly ForwardingRule[]): void {
  const seen = new Set<string>();
  for (const rule of rules) {
    const key = `${rule.vip}:${rule.port}`;
    if (seen.has(key)) throw new Error(`two forwarding rules for ${key}`);
    seen.add(key);
  }
}
