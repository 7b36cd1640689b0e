import type { GuardBlock } from '../guard/block.ts';
import { workloadsOf } from '../guard/scale.ts';
import { indexOf } from '../model/cluster-index.ts';
import { isActive, type PodFacts, type PodRef, podRefOf } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';

/** A workload that lacks pods because the API server refuses to create them. */
export interface RefusedWorkload {
  /** Key of the workload. */
  readonly workload: string;
  /** The response of the API server. For a quota it has the name, and what was requested, used and allowed. */
  readonly reason: string;
  /**
   * A pod whose change makes the ReplicaSet that lacks pods retry at once. Undefined when it has no pod. Otherwise the ReplicaSet waits up to
   * 1,000 s between two attempts, even if there is room before that, or if a pod is deleted that it does not own any more, such as a released one
   * (kubernetes pkg/controller/replicaset/replica_set.go, updatePod, deletePod, processNextWorkItem; client-go
   * util/workqueue/default_rate_limiters.go).
   */
  readonly wake: PodRef | undefined;
}

/**
 * The workloads that have fewer pods than desired, or need others for a rollout, and whose last attempt to create a pod was rejected.
 */
export function findRefused(workloads: readonly WorkloadFacts[], cluster: ClusterFacts): readonly RefusedWorkload[] {
  return workloads.flatMap(({ key, replicas, refused, rollingOut }) => {
    if (refused === undefined) return [];
    const pods = indexOf(cluster).podsOfWorkload(key).filter(isActive);
    return pods.length < replicas || rollingOut ? [{ workload: key, reason: refused, wake: chooseToWake(pods) }] : [];
  });
}

/** The refused workloads that may be the reason why the guard blocks a node: those of the Service or the budget that blocks it. */
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

/** Any pod of a ReplicaSet that lacks pods, except those whose deletion cost a run has raised. */
function chooseToWake(pods: readonly PodFacts[]): PodRef | undefined {
  for (const owned of Map.groupBy(pods, ({ ownerName }) => ownerName).values()) {
    const [{ ownerWants = 0 } = {}] = owned;
    const free = owned.find(({ costRaisedBy }) => costRaisedBy === undefined);
    if (owned.length < ownerWants && free !== undefined) return podRefOf(free);
  }
  return undefined;
}

/** Says which workloads get no more pods and why. It is appended to a reason, and is empty when no workload is refused any. */
export function noteRefused(refused: readonly RefusedWorkload[]): string {
  return refused.map(({ workload, reason }) => `; no more pods of ${workload} can be created: ${reason}`).join('');
}

/** What an operator can do about it. Undefined when no workload is refused any pod. */
export function hintRefused([first]: readonly RefusedWorkload[]): string | undefined {
  if (first === undefined) return undefined;
  const { workload, wake } = first;
  const tries =
    wake === undefined
      ? 'Its ReplicaSet has no pod, and retries within 17 minutes, or at once when you change it (kubectl annotate --overwrite replicaset NAME tried="$(date)")'
      : 'The run makes its ReplicaSet retry every 10 seconds';
  return `Make it possible to create another pod of ${workload}: raise the quota in the message or free some of it, or fix the admission webhook that rejects the pod. ${tries}. Then resume.`;
}
