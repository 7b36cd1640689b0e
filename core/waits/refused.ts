import { type PodRef, podRefOf } from '../eviction/actions.ts';
import type { GuardBlock } from '../guard/block.ts';
import { workloadsOf } from '../guard/scale.ts';
import { indexOf } from '../model/cluster-index.ts';
import { isFinished, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';

/** A workload that lacks pods because the API server refuses to create them. */
export interface RefusedWorkload {
  /** Key of the workload. */
  readonly workload: string;
  /** What the API server has answered; of a quota its name, what was asked for, used and allowed. */
  readonly reason: string;
  /**
   * A pod whose change makes the ReplicaSet that lacks some try again at once; undefined where it has none. By itself it waits up to 1,000 s between
   * two tries, also when there is room by then, or when a pod has gone that it did not own any more, as one that was taken out of its endpoints
   * (kubernetes pkg/controller/replicaset/replica_set.go, updatePod, deletePod, processNextWorkItem; client-go
   * util/workqueue/default_rate_limiters.go).
   */
  readonly wake: PodRef | undefined;
}

/**
 * Those of the workloads that have fewer pods than they shall have, or want others for a rollout, and were refused more when they tried
 * last.
 */
export function findRefused(workloads: readonly WorkloadFacts[], cluster: ClusterFacts): readonly RefusedWorkload[] {
  return workloads.flatMap(({ key, replicas, refused, rollingOut }) => {
    if (refused === undefined) return [];
    const pods = indexOf(cluster)
      .podsOfWorkload(key)
      .filter((pod) => !pod.terminating && !isFinished(pod));
    return pods.length < replicas || rollingOut ? [{ workload: key, reason: refused, wake: chooseToWake(pods) }] : [];
  });
}

/** Those whose refusal may be why the guard holds a node back: of the Service or the budget that holds it. */
export function findRefusedBehind(
  { service: serviceKey, budget: budgetKey }: Pick<GuardBlock, 'service' | 'budget'>,
  cluster: ClusterFacts,
): readonly RefusedWorkload[] {
  const index = indexOf(cluster);
  const service = serviceKey === undefined ? undefined : index.service(serviceKey);
  const budget = cluster.budgets.find(({ namespace, name }) => `${namespace}/${name}` === budgetKey);
  const ofBudget = new Set(
    (budget === undefined ? [] : index.podsOfBudget(budget)).map(({ workload }) => workload ?? ''),
  );
  const workloads = new Set([
    ...(service === undefined ? [] : workloadsOf(service, cluster)),
    ...[...ofBudget].flatMap((key) => index.workload(key) ?? []),
  ]);
  return findRefused([...workloads], cluster);
}

/** Any pod of a ReplicaSet that lacks some, but none whose deletion cost is somebody's business now. */
function chooseToWake(pods: readonly PodFacts[]): PodRef | undefined {
  for (const owned of Map.groupBy(pods, ({ ownerName }) => ownerName).values()) {
    const [{ ownerWants = 0 } = {}] = owned;
    const free = owned.find(({ costRaisedBy }) => costRaisedBy === undefined);
    if (owned.length < ownerWants && free !== undefined) return podRefOf(free);
  }
  return undefined;
}

/** Who gets no more pods and why, to be appended to what is missing; empty when nobody is refused any. */
export function noteRefused(refused: readonly RefusedWorkload[]): string {
  return refused.map(({ workload, reason }) => `; no more pods of ${workload} can be created: ${reason}`).join('');
}

/** What helps against it; undefined when nobody is refused any. */
export function hintRefused([first]: readonly RefusedWorkload[]): string | undefined {
  if (first === undefined) return undefined;
  const { workload, wake } = first;
  const tries =
    wake === undefined
      ? 'Its ReplicaSet has no pod, and tries again by itself within 17 minutes, or at once when you change it (kubectl annotate replicaset NAME tried=again)'
      : 'Its ReplicaSet is made to try again every 10 seconds';
  return `Let another pod of ${workload} be created: raise the quota that is named, or make room in it; fix the admission that rejects them.  ${tries}. Then resume.`;
}
