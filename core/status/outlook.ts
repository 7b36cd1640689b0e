/**
 * Whether a run can have caused a lost request: whether any of its nodes was out then, or shortly before. Without an observation it must be
 * assumed that one was.
 */
import { attemptOfRestore, type OwnedBy } from '../model/node.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';

/** What is known of it, from observation to observation. Plain data. */
export interface Outlook {
  /** Epoch ms of the last observation of the cluster; absent before the first. */
  readonly seenAt?: number;
  /** Epoch ms at which something was last out, or may have been; absent if nothing ever was. */
  readonly outAt?: number;
  /** Nodes that were out then, as far as could be observed. */
  readonly nodes: readonly string[];
}

/** What is known before the first observation of a run, which has not changed anything yet. */
export const untouched: Outlook = { nodes: [] };

/** One observation of the cluster. */
interface OutObservation {
  /** Epoch ms at its end. */
  readonly at: number;
  /** Nodes that were out, see `findOut`; undefined when the cluster could not be observed. */
  readonly out: readonly string[] | undefined;
}

/**
 * Names of the nodes that a run has excluded or works on, and of those whose pods it has released: everything that could cost a request.
 * Cordons alone cost none. Each act sets its label or annotation at once, so that an observation misses nothing that was done before it.
 */
export function findOut({ nodes, pods }: Pick<ClusterFacts, 'nodes' | 'pods'>, run: string): readonly string[] {
  const out = new Set<string>();
  for (const { name, ownership } of nodes) {
    if (ownership.excludedBy === run || ownership.disruptedBy === run || isActedOn(ownership, run)) out.add(name);
  }
  for (const { node, namespace, name, released, endpointsRemoved, costRaisedBy } of pods) {
    if (released?.by !== run && endpointsRemoved?.by !== run && costRaisedBy !== run) continue;
    out.add(node ?? `pod ${namespace}/${name}`);
  }
  return [...out].toSorted(compareText);
}

/** A restored node keeps a fence as well, against steps that live on: nobody acts on it. */
function isActedOn({ fence }: OwnedBy, run: string): boolean {
  return fence?.run === run && fence.attempt !== attemptOfRestore;
}

/**
 * For how long, ms, a lost request may still be a consequence after something was out: until a change has reached every load balancer, or a
 * restored node has been registered again, and until a request sent just before that counts as lost.
 */
export function reachMs({ waits, traffic }: Pick<Policy, 'waits' | 'traffic'>): number {
  const slowest = Math.max(0, ...traffic.probes.map(({ timeoutMs }) => timeoutMs));
  return Math.max(waits.propagationMs, waits.deadlines.deregistrationMs) + waits.marginMs + slowest;
}

/** After more than this time, ms, without an observation it is not known what was out meanwhile. */
const maxBlindMs = 30_000;

/** Adds an observation. If it failed or came too late, something may have been out. */
export function addObservation(known: Outlook, { at, out }: OutObservation, reach: number): Outlook {
  if (out !== undefined && out.length > 0) return { seenAt: at, outAt: at, nodes: out };
  const wasBlind = known.seenAt !== undefined && at - known.seenAt > maxBlindMs;
  const seen = out === undefined ? known : { ...known, seenAt: at };
  if (out !== undefined && !wasBlind) return seen;
  return { ...seen, outAt: at, nodes: canBeOurs(known, at, reach) ? known.nodes : [] };
}

/** Whether the run can have caused what was lost by then (epoch ms). */
export function canBeOurs({ outAt }: Outlook, at: number, reach: number): boolean {
  return outAt !== undefined && at - outAt <= reach;
}
