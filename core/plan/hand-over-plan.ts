import { staysWithNode } from '../drain/stays-with-node.ts';
import { decideEligibility } from '../hand-over/eligibility.ts';
import type { HandOverContext } from '../hand-over/rules/rule.ts';
import { mostReleased, workloadOf } from '../hand-over/surplus.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { isFinished, ownerOf, type PodFacts } from '../model/pod.ts';
import { handOverTermsOf, handsOver } from '../policy/policy.ts';
import { compareText, count } from '../text/format.ts';

/** What becomes of the pods of one workload when their nodes go. */
export interface WorkloadHandOver {
  /** Key of the workload, e.g. `Deployment default/web`, or who else keeps the pods. */
  readonly workload: string;
  /** Its pods on the nodes to replace. */
  readonly pods: number;
  /** Their replacements start before they leave, or they are evicted within their budgets. */
  readonly how: 'handed over' | 'evicted';
  /** The most of them that are handed over at a time. */
  readonly together?: number;
  /** Why they are evicted, or what is waited for first. */
  readonly reason?: string;
  /** What would let them be handed over. */
  readonly hint?: string;
  /** The policy wants them handed over, or else no run. */
  readonly required?: boolean;
}

/** Tells, workload by workload, whether its pods are handed over; nothing for a policy that hands none over. */
export function planHandOver(nodes: readonly NodeRef[], context: HandOverContext): readonly WorkloadHandOver[] {
  if (!handsOver(context.policy)) return [];
  const told = nodes
    .flatMap(({ name }) => indexOf(context.cluster).podsOn(name))
    .filter((pod) => !staysWithNode(pod) && !isFinished(pod) && !pod.terminating)
    .map((pod) => tell(pod, context));
  const groups = Map.groupBy(told, ({ workload, reason = '' }) => `${workload}|${reason}`);
  return [...groups.values()]
    .flatMap(([first, ...others]) => (first === undefined ? [] : [{ ...first, pods: 1 + others.length }]))
    .toSorted((a, b) => compareText(a.workload, b.workload) || compareText(a.reason ?? '', b.reason ?? ''));
}

function tell(pod: PodFacts, context: HandOverContext): WorkloadHandOver {
  const workload = workloadOf(pod, context.cluster);
  const own = { workload: workload?.key ?? ownerOf(pod), pods: 1 };
  const together = workload === undefined ? 0 : mostReleased(workload, context.policy);
  const eligibility = decideEligibility(pod, context);
  if (eligibility.eligible) return { ...own, how: 'handed over', together, ...tellQuota(pod, together, context) };
  const { reason, hint } = eligibility;
  if (eligibility.passes === true && workload?.rollingOut === true)
    return { ...own, how: 'handed over', together, reason: `${reason}; it is waited for` };
  const required = handOverTermsOf(context.policy, workload).mode === 'required';
  return { ...own, how: 'evicted', reason, ...(hint === undefined ? {} : { hint }), ...(required ? { required } : {}) };
}

/** A quota that has no room for all replacements that start together: those beyond it are not created before others have left. */
function tellQuota(
  pod: PodFacts,
  together: number,
  { cluster: { quotas = [] } }: HandOverContext,
): Pick<WorkloadHandOver, 'reason'> {
  if (quotas.length === 0) return {};
  const { namespace } = pod;
  const tight = quotas.find((quota) => quota.namespace === namespace && quota.podsLeft < together);
  if (tight === undefined) return {};
  const room = tight.podsLeft === 0 ? 'no room for another pod' : `room for ${count(tight.podsLeft, 'pod')} more`;
  return {
    reason: `${tight.key} has ${room}; replacements beyond that are not created`,
  };
}
