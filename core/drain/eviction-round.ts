import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText, listNames } from '../text/format.ts';
import { type BlockedPod, identify, type PodAction, type UnlistedSince } from './actions.ts';
import { decideDrain } from './decide-drain.ts';
import { type DisruptionLedger, openDisruptionLedger } from './disruptions.ts';
import { servicesOf } from './services-of-pod.ts';
import { chooseUnlistLabels, findLeavesListed, hasSpread, needsUnlist, tellListed } from './unlist.ts';

/** Everything that decides the next acts on the pods of one node. */
export interface EvictionQuestion {
  readonly node: NodeRef;
  readonly facts: ClusterFacts;
  readonly policy: Policy;
  readonly run: string;
  /** Epoch ms. */
  readonly now: number;
  /** When the pods that are out of their endpoints left them; see trackUnlisted. */
  readonly unlistedAt: UnlistedSince;
}

/** What to do now, what can't be done yet, and how much is left. */
export interface EvictionRound {
  readonly actions: readonly PodAction[];
  readonly blocked: readonly BlockedPod[];
  /** Pods that are still on the node and must go, terminating ones included. */
  readonly remaining: number;
  /** The node still has attached volumes. */
  readonly volumesAttached: boolean;
  /** One sentence for status. */
  readonly reason: string;
}

/**
 * Decides one round of evictions on a node whose connections have been drained. Pods that serve nobody go first. Budgets are kept
 * by counting the pods themselves, not by the budget's status, which lags; each budget is charged for one pod per round.
 */
export function decideEvictionRound(question: EvictionQuestion): EvictionRound {
  const { facts, policy, node } = question;
  const actions: PodAction[] = [];
  const blocked: BlockedPod[] = [];
  let remaining = 0;
  const ledger = openDisruptionLedger(facts);
  for (const pod of podsInOrder(node, facts)) {
    const { outcome, reason } = decideDrain(pod, policy.drain);
    if (outcome === 'skip') continue;
    remaining += 1;
    if (outcome === 'delete-finished') actions.push({ kind: 'delete', pod: identify(pod) });
    if (outcome === 'refuse') blocked.push({ pod: identify(pod), budget: undefined, needs: 0, has: 0, reason });
    if (outcome !== 'evict') continue;
    const step = decideStep(pod, question, ledger);
    if (step.action !== undefined) actions.push(step.action);
    if (step.blocked !== undefined) blocked.push(step.blocked);
  }
  const volumesAttached = facts.nodesWithVolumes.includes(node.name);
  return { actions, blocked, remaining, volumesAttached, reason: explain(node, remaining, blocked, volumesAttached) };
}

function decideStep(
  pod: PodFacts,
  question: EvictionQuestion,
  ledger: DisruptionLedger,
): { readonly action?: PodAction; readonly blocked?: BlockedPod } {
  const { facts, policy, now, unlistedAt } = question;
  if (pod.unlisted !== undefined) {
    const listed = tellListed(pod, facts);
    if (listed !== undefined) return { blocked: listed };
    const spread = hasSpread(pod, facts, unlistedAt, policy.waits, now);
    return spread ? { action: { kind: 'evict', pod: identify(pod) } } : {};
  }
  const verdict = ledger.charge(pod);
  if (verdict !== undefined) return { blocked: verdict };
  if (!needsUnlist(pod, facts, policy)) return { action: evict(pod, question) };
  const removeLabels = chooseUnlistLabels(pod, facts);
  return { action: { kind: 'unlist', pod: identify(pod), removeLabels } };
}

function evict(pod: PodFacts, { facts, policy }: EvictionQuestion): PodAction {
  const leaves = findLeavesListed(pod, facts, policy);
  if (leaves === undefined) return { kind: 'evict', pod: identify(pod) };
  const { services, why } = leaves;
  const notProtected = `pod ${pod.namespace}/${pod.name} left while ${listNames(services)} listed it: ${why}`;
  return { kind: 'evict', pod: identify(pod), notProtected };
}

function podsInOrder(node: NodeRef, facts: ClusterFacts): readonly PodFacts[] {
  const behindService = (pod: PodFacts): number => (servicesOf(pod, facts).length > 0 ? 1 : 0);
  return indexOf(facts)
    .podsOn(node.name)
    .map((pod) => ({ pod, rank: behindService(pod), key: `${pod.namespace}/${pod.name}` }))
    .toSorted((a, b) => a.rank - b.rank || compareText(a.key, b.key))
    .map(({ pod }) => pod);
}

function explain(node: NodeRef, remaining: number, blocked: readonly BlockedPod[], volumesAttached: boolean): string {
  const first = blocked[0];
  const left = `${remaining} pod${remaining === 1 ? '' : 's'} left on ${node.name}`;
  if (first !== undefined) return `${left}; ${first.pod.namespace}/${first.pod.name}: ${first.reason}`;
  if (remaining > 0) return left;
  return volumesAttached ? `${node.name} still has attached volumes` : `${node.name} has no pod left`;
}
