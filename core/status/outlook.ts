/**
 * Whether a run can have to do with a lost request: whether anything of its was out of service then, or not long before. Whoever could
 * not look has to take it that something was.
 */
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';

/** What is known of it, from look to look. Plain data. */
export interface Outlook {
  /** Epoch ms of the last look that saw the cluster; absent before the first. */
  readonly seenAt?: number;
  /** Epoch ms at which something was out last, or may have been; absent when nothing ever was. */
  readonly outAt?: number;
  /** Nodes that were out then, as far as they could be seen. */
  readonly nodes: readonly string[];
}

/** What is known before the first look of a run, which has not touched anything yet. */
export const untouched: Outlook = { nodes: [] };

/** One look at the cluster. */
export interface OutLook {
  /** Epoch ms at its end. */
  readonly at: number;
  /** Nodes that were out, see `findOut`; undefined when the cluster could not be seen. */
  readonly out: readonly string[] | undefined;
}

/**
 * Names of the nodes that a run has on their way out or back, or has let pods go on: whatever on them could cost a request. Cordons alone
 * cost none. Each act leaves its mark in the moment of the act, so that a look misses nothing that had been done before it.
 */
export function findOut({ nodes, pods }: Pick<ClusterFacts, 'nodes' | 'pods'>, run: string): readonly string[] {
  const out = new Set<string>();
  for (const { name, ownership } of nodes) {
    if (ownership.excludedBy === run || ownership.disruptedBy === run || ownership.fence?.run === run) out.add(name);
  }
  for (const { node, namespace, name, released, endpointsRemoved, costRaisedBy } of pods) {
    if (released?.by !== run && endpointsRemoved?.by !== run && costRaisedBy !== run) continue;
    out.add(node ?? `pod ${namespace}/${name}`);
  }
  return [...out].toSorted(compareText);
}

/**
 * So long after something was out, ms, a lost request may still come of it: until a change has reached every load balancer, or a node that
 * was put back has been taken again, and until the request that was on its way then counts as lost.
 */
export function reachMs({ waits, traffic }: Pick<Policy, 'waits' | 'traffic'>): number {
  const slowest = Math.max(0, ...traffic.probes.map(({ timeoutMs }) => timeoutMs));
  return Math.max(waits.propagationMs, waits.deadlines.deregistrationMs) + waits.marginMs + slowest;
}

/** Without a look for longer than this, ms, nobody knows what was out meanwhile. */
const maxBlindMs = 30_000;

/** Adds what a look has seen; one that saw nothing, or came too late, leaves it open whether something was out. */
export function addObservation(known: Outlook, { at, out }: OutLook, reach: number): Outlook {
  if (out !== undefined && out.length > 0) return { seenAt: at, outAt: at, nodes: out };
  const wasBlind = known.seenAt !== undefined && at - known.seenAt > maxBlindMs;
  const seen = out === undefined ? known : { ...known, seenAt: at };
  if (out !== undefined && !wasBlind) return seen;
  return { ...seen, outAt: at, nodes: canBeOurs(known, at, reach) ? known.nodes : [] };
}

/** Whether what was lost by then (epoch ms) can be the run's doing. */
export function canBeOurs({ outAt }: Outlook, at: number, reach: number): boolean {
  return outAt !== undefined && at - outAt <= reach;
}
