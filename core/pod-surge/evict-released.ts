import { type BlockedPod, blockedPod, type PodAction } from '../eviction/actions.ts';
import { openDisruptionLedger } from '../eviction/disruptions.ts';
import { decideStep } from '../eviction/eviction-round.ts';
import { isStuckTerminating } from '../eviction/stuck-terminating.ts';
import { indexOf } from '../model/cluster-index.ts';
import { isActive, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { compareText, count } from '../text/format.ts';
import { decideAdoption } from './adoption.ts';
import { type Dismissal, type DismissalQuestion, decideDismissal } from './dismissal.ts';
import { isAbandoned, isReleasedBy, isServing, ownedPods } from './owned-pods.ts';
import { isSpared } from './spared.ts';

/** What to do now with released pods that no ReplicaSet adopts, which of them are blocked, and how many are left. */
interface ReleasedEviction {
  readonly actions: readonly PodAction[];
  readonly blocked: readonly BlockedPod[];
  /** Pods that can leave and have not left yet, terminating ones included. */
  readonly remaining: number;
  /** One sentence for status. */
  readonly reason: string;
}

/**
 * Decides one round of evicting the released pods that their workload does not need any more: it has rolled out another version since, or a
 * replacement was Ready before they could return. Their nodes stay in the load balancers, and so a pod leaves its node only if another pod
 * there serves the same connections. All other released pods keep serving.
 */
export function decideReleasedEviction(question: DismissalQuestion): ReleasedEviction {
  const { facts, run, now } = question;
  const rollback = openDisruptionLedger(question);
  const dismissal = decideDismissal(question);
  const unwanted = new Set(decideAdoption(facts, run).stays.map(({ pod }) => pod.uid));
  const leaving = new Set(facts.pods.filter((pod) => isLeaving(pod, run)).map(({ uid }) => uid));
  const actions: PodAction[] = [...dismissal.actions];
  const blocked: BlockedPod[] = [...dismissal.blocked];
  for (const pod of facts.pods.toSorted((a, b) => compareText(a.name, b.name))) {
    if (dismissal.pods.has(pod.uid)) continue;
    const isUnwanted = unwanted.has(pod.uid) && isSpared(pod, leaving, facts);
    if (!isUnwanted && !(leaving.has(pod.uid) && !pod.terminating)) continue;
    leaving.add(pod.uid);
    const short = explainShort(pod, facts);
    if (short !== undefined) blocked.push(blockedPod(pod, short));
    if (short !== undefined) continue;
    const step = decideStep(pod, question, rollback);
    if (step.action !== undefined) actions.push(step.action);
    if (step.blocked !== undefined) blocked.push(step.blocked);
  }
  const leaves = (pod: PodFacts) => leaving.has(pod.uid) || isDismissed(pod, dismissal, question);
  const remaining = facts.pods.filter((pod) => leaves(pod) && !isStuckTerminating(pod, now)).length;
  const [first] = blocked;
  const why = first === undefined ? '' : `; ${first.pod.namespace}/${first.pod.name}: ${first.reason}`;
  return {
    actions,
    blocked,
    remaining,
    reason: `${count(remaining, 'released pod')} that no ReplicaSet adopts${why}`,
  };
}

/** Whether no workload wants it any more, or none will once observations have agreed on that for a while. */
function isDismissed(pod: PodFacts, { actions, blocked }: Dismissal, { facts, run }: DismissalQuestion): boolean {
  if (isActive(pod) && isReleasedBy(pod, run) && isAbandoned(pod, facts)) return true;
  return [...actions, ...blocked].some((one) => one.pod.uid === pod.uid);
}

/** Whether it is already removed from its endpoints, or terminating. */
function isLeaving({ released, endpointsRemoved, terminating }: PodFacts, run: string): boolean {
  return released?.by === run && (terminating || endpointsRemoved?.by === run);
}

/** Explains that the workload does not have enough serving pods without it. If the Deployment is gone, the replicas of its ReplicaSet count. */
function explainShort(pod: PodFacts, facts: ClusterFacts): string | undefined {
  const { released, namespace } = pod;
  if (released === undefined) return undefined;
  const index = indexOf(facts);
  const workload = index.workload(released.workload);
  const wanted = workload?.replicas ?? released.wants ?? 0;
  const kept = workload === undefined ? ownedPods(released, namespace, facts) : index.podsOfWorkload(workload.key);
  const serving = kept.filter((other) => isServing(other) && isActive(other) && !isReleasedBy(other, released.by));
  if (serving.length >= wanted) return undefined;
  return `${released.workload} has ${serving.length} of ${wanted} pods ready without it`;
}
