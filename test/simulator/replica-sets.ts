import { deletePod, newPod, replicaSetName, templateHash } from './pods.ts';
import { later, matches, type SimPod, type SimWorkload, type World } from './world.ts';

/** The Deployment controller and its ReplicaSets. */
export function reconcileReplicas(world: World, workload: SimWorkload): void {
  for (const pod of world.pods) if (pod.of === workload.name) claim(pod, workload);
  const owned = world.pods.filter((pod) => isOwned(pod, workload));
  const old = owned.filter((pod) => pod.version < workload.version);
  const surge = Math.min(1, old.length);
  const missing = workload.replicas + surge - owned.length - workload.creating;
  for (let i = 0; i < Math.min(missing, allowedBeside(world, workload)); i++) {
    workload.creating += 1;
    later(world, 200, () => {
      workload.creating -= 1;
      if (world.workloads.includes(workload)) world.pods.push(newPod(world, workload));
    });
  }
  if (old.length > 0) return exchange(world, workload, owned, old);
  for (const pod of chooseSurplus(world, owned, owned.length - workload.replicas)) deletePod(world, pod);
}

/** Pods that the quota lets be created now: released ones and those that terminate count like any. */
function allowedBeside(world: World, { name, quota = Number.POSITIVE_INFINITY, creating }: SimWorkload): number {
  return quota - creating - world.pods.filter(({ of, phase }) => of === name && phase !== 'Succeeded').length;
}

/** Deletes a Deployment with its ReplicaSets; the garbage collector then deletes the pods that these own. */
export function deleteDeployment(world: World, name: string): void {
  for (const workload of world.workloads) {
    if (workload.name !== name) continue;
    for (const pod of world.pods) if (isOwned(pod, workload)) deletePod(world, pod);
  }
  world.workloads = world.workloads.filter((workload) => workload.name !== name);
  world.changed();
}

/** Pods that the ReplicaSet which made the pod shall have now; undefined when it does not exist any more. */
export function wantedBy(world: World, { of, version }: SimPod): number | undefined {
  const workload = world.workloads.find(({ name, kind }) => name === of && kind === 'Deployment');
  if (workload === undefined) return undefined;
  const old = world.pods.filter((pod) => isOwned(pod, workload) && pod.version < workload.version);
  if (version < workload.version) return old.filter((pod) => pod.version === version).length;
  return Math.max(0, workload.replicas - old.length);
}

function isOwned(pod: SimPod, { name }: SimWorkload): boolean {
  return pod.of === name && pod.ownerKind === 'ReplicaSet' && !pod.terminating;
}

/** Pods that the selector does not match any more are let go; those without a controller that it matches are taken. */
function claim(pod: SimPod, workload: SimWorkload): void {
  const selector = { ...workload.selector, ...templateHash(pod.version) };
  const fits = matches(selector, pod.labels);
  if (pod.ownerKind === 'ReplicaSet' && !fits) {
    pod.ownerKind = 'none';
    pod.ownerName = '';
    delete (pod as { ownerUid?: unknown }).ownerUid;
    delete (pod as { workload?: unknown }).workload;
    delete (pod as { ownerSelector?: unknown }).ownerSelector;
  } else if (pod.ownerKind === 'none' && fits && !pod.terminating) {
    pod.ownerKind = 'ReplicaSet';
    pod.ownerName = replicaSetName(workload.name, pod.version);
    pod.ownerUid = `uid-of-${pod.ownerName}`;
    pod.ownerSelector = selector;
    pod.workload = `Deployment default/${workload.name}`;
  }
}

/**
 * The pods that a ReplicaSet with too many deletes, in its own order (Kubernetes 1.36, pkg/controller/controller_utils.go,
 * ActivePodsWithRanks): those without a node, those that do not run, those that are not ready, the cheaper ones, those whose node has more
 * of its pods, the newer ones.
 */
function chooseSurplus(world: World, owned: readonly SimPod[], surplus: number): readonly SimPod[] {
  const crowd = Map.groupBy(owned, ({ node }) => node);
  const rank = (pod: SimPod): readonly number[] => [
    pod.node === undefined ? 0 : 1,
    pod.phase === 'Running' ? 1 : 0,
    pod.ready ? 1 : 0,
    deletionCostOf(pod),
    -(crowd.get(pod.node)?.length ?? 0),
    world.clock.now() - pod.createdAt,
  ];
  const ranked = owned.map((pod) => ({ pod, rank: rank(pod) }));
  return ranked
    .toSorted((a, b) => a.rank.map((value, i) => value - (b.rank[i] ?? 0)).find((difference) => difference !== 0) ?? 0)
    .slice(0, Math.max(0, surplus))
    .map(({ pod }) => pod);
}

function deletionCostOf({ annotations }: SimPod): number {
  return Number(annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
}

/** A rollout takes an old pod once more than enough are ready, or one that is not ready anyway. */
function exchange(world: World, workload: SimWorkload, owned: readonly SimPod[], old: readonly SimPod[]): void {
  const idle = old.find((pod) => !pod.ready);
  const spare = owned.filter((pod) => pod.ready).length > workload.replicas;
  const next = idle ?? (spare ? old[0] : undefined);
  if (next !== undefined && owned.length > workload.replicas) deletePod(world, next);
}
