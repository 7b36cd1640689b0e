import { isNodeBound } from '../eviction/node-bound.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { isActive, ownerOf, type PodFacts } from '../model/pod.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { decideEligibility } from '../pod-surge/eligibility.ts';
import type { PodSurgeContext } from '../pod-surge/rules/rule.ts';
import { maxReleased, roomOf, surgeLimitOf, workloadOf } from '../pod-surge/surge-limit.ts';
import { podSurgeTermsOf, surgesPods } from '../policy/policy.ts';
import { compareText, count } from '../text/format.ts';

/** What happens to the pods of one workload when their nodes leave. */
export interface WorkloadSurge {
  /** Key of the workload, e.g. `Deployment default/web`, or of another owner of the pods. */
  readonly workload: string;
  /** Its pods on the nodes to replace. */
  readonly pods: number;
  /** Their replacements start before they leave, or they are evicted within their budgets. */
  readonly how: 'pod surge' | 'evicted';
  /** The most of them that are surged at a time. */
  readonly together?: number;
  /** Why they are evicted, or what is waited for first. */
  readonly reason?: string;
  /** What would make pod surge possible for them. */
  readonly hint?: string;
  /** The policy requires pod surge for them, and refuses the run without it. */
  readonly required?: boolean;
  /** They would be surged if admission did not deny it. Absent otherwise. */
  readonly denied?: true;
}

/** Says for each workload whether its pods are surged. Empty for a policy without pod surge. */
export function planPodSurge(nodes: readonly NodeRef[], context: PodSurgeContext): readonly WorkloadSurge[] {
  if (!surgesPods(context.policy)) return [];
  const pods = nodes
    .flatMap(({ name }) => indexOf(context.cluster).podsOn(name))
    .filter((pod) => !isNodeBound(pod) && isActive(pod))
    .map((pod) => planPod(pod, context));
  const groups = Map.groupBy(pods, ({ workload, reason = '' }) => `${workload}|${reason}`);
  return [...groups.values()]
    .flatMap(([first, ...others]) => (first === undefined ? [] : [{ ...first, pods: 1 + others.length }]))
    .toSorted((a, b) => compareText(a.workload, b.workload) || compareText(a.reason ?? '', b.reason ?? ''));
}

function planPod(pod: PodFacts, context: PodSurgeContext): WorkloadSurge {
  const workload = workloadOf(pod, context.cluster);
  const own = { workload: workload?.key ?? ownerOf(pod), pods: 1 };
  const together = workload === undefined ? 0 : maxReleased(workload, context);
  const eligibility = decideEligibility(pod, context);
  if (eligibility.eligible) return { ...own, how: 'pod surge', together, ...explainQuota(workload, together, context) };
  const { reason, hint, denied } = eligibility;
  if (eligibility.passes === true && workload?.rollingOut === true)
    return { ...own, how: 'pod surge', together, reason: `${reason}; the run waits for it` };
  const required = podSurgeTermsOf(context.policy, workload).mode === 'required';
  const remedy = hint === undefined ? {} : { hint };
  return { ...own, how: 'evicted', reason, ...remedy, ...(required && { required }), ...(denied && { denied }) };
}

/** A quota may allow fewer replacements to start together than the policy does. */
function explainQuota(
  workload: WorkloadFacts | undefined,
  together: number,
  { cluster, policy }: PodSurgeContext,
): Pick<WorkloadSurge, 'reason'> {
  if (workload === undefined || together >= surgeLimitOf(workload, policy)) return {};
  const room = roomOf(workload, cluster);
  if (room === undefined) return {};
  return {
    reason: `${room.quota.key} has room for ${count(room.pods, 'pod')} more (${room.resource}): no more are surged at a time`,
  };
}
