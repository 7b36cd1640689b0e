import { isActive } from '../../core/model/pod.ts';
import { deletePod, newPod, replicaSetName, templateHash } from './pods.ts';
import { forgetRefusals, noteRefused, refusalOf, roomInQuota, triesNow } from './refused-creations.ts';
import { later, matches, note, type SimPod, type SimWorkload, type World } from './world.ts';

/** The Deployment controller and its ReplicaSets. */
export function reconcileReplicas(world: World, workload: SimWorkload): void {
  if (isDenied(world, workload)) return;
  const room = roomInQuota(world, workload);
  for (const pod of world.pods) if (pod.of === workload.name) fence(pod, workload);
  if (workload.frozen !== undefined) return keepFrozen(world, workload, workload.frozen, room);
  const owned = world.pods.filter((pod) => isOwned(pod, workload));
  const old = owned.filter((pod) => pod.version < workload.version);
  const missing = workload.replicas + surgeOf(old) - owned.length - workload.creating;
  create(world, workload, workload, { version: workload.version, missing, room });
  if (old.length > 0) return replaceOldPods(world, workload, owned, old);
  for (const pod of selectExcess(world, owned, owned.length - workload.replicas)) deletePod(world, pod);
}

/** Nobody changes the sizes of the ReplicaSets: each keeps its own. */
function keepFrozen(
  world: World,
  workload: SimWorkload,
  frozen: NonNullable<SimWorkload['frozen']>,
  room: number,
): void {
  for (const replicaSet of frozen) {
    const { version, replicas } = replicaSet;
    const owned = world.pods.filter((pod) => isOwned(pod, workload) && pod.version === version);
    const creating = replicaSet.creating + (version === workload.version ? workload.creating : 0);
    create(world, workload, replicaSet, { version, missing: replicas - owned.length - creating, room });
    for (const pod of selectExcess(world, owned, owned.length - replicas)) deletePod(world, pod);
  }
}

function create(
  world: World,
  workload: SimWorkload,
  counts: { creating: number },
  { version, missing, room }: { readonly version: number; readonly missing: number; readonly room: number },
): void {
  if (missing <= 0) return forgetRefusals(workload, version);
  if (!triesNow(world, workload, version)) return;
  const made = Math.max(0, Math.min(missing, room));
  if (made < missing) noteRefused(world, workload, version);
  else forgetRefusals(workload, version);
  for (let i = 0; i < made; i++) {
    counts.creating += 1;
    later(world, 200, () => {
      counts.creating -= 1;
      if (world.workloads.includes(workload)) world.pods.push(newPod(world, workload, version));
    });
  }
}

/**
 * Deletes a Deployment and orphans what it owns, as `kubectl delete --cascade=orphan` does; it comes back after this long, ms. Meanwhile its
 * ReplicaSets continue without an owner (Kubernetes docs, "Use Cascading Deletion", Orphan).
 */
export function orphanDeployment(world: World, name: string, durationMs: number): void {
  freeze(world, name, 'away');
  note(world, `${name} is away`);
  later(world, durationMs, () => unfreeze(world, name, 'away'));
  world.changed();
}

/** Pauses a Deployment in its current state, in the middle of a rollout if there is one; its ReplicaSets keep their sizes. */
export function pauseDeployment(world: World, name: string): void {
  freeze(world, name, 'paused');
  world.changed();
}

/** Its owners resume a paused Deployment. */
export function resumeDeployment(world: World, name: string): void {
  unfreeze(world, name, 'paused');
  world.changed();
}

function freeze(world: World, name: string, why: 'away' | 'paused'): void {
  for (const workload of world.workloads) {
    if (workload.name !== name || workload.kind !== 'Deployment') continue;
    const versions = world.pods.filter((pod) => isOwned(pod, workload)).map(({ version }) => version);
    workload.frozen = [...new Set([...versions, workload.version])].map((version) => ({
      version,
      replicas: wantedBy(world, { of: name, version }) ?? 0,
      creating: 0,
    }));
    workload[why] = true;
  }
}

function unfreeze(world: World, name: string, why: 'away' | 'paused'): void {
  for (const workload of world.workloads) {
    if (workload.name !== name) continue;
    delete workload.frozen;
    delete workload[why];
  }
  note(world, `${name} is back`);
}

/** A pod that is owned and has failed for good, like one that its kubelet has evicted: it stays until somebody deletes it. */
export function addFailedPod(world: World, name: string, node: string): SimPod | undefined {
  const workload = world.workloads.find((one) => one.name === name);
  if (workload === undefined) return undefined;
  const pod: SimPod = { ...newPod(world, workload), node, phase: 'Failed' };
  world.pods.push(pod);
  world.changed();
  return pod;
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

/** Pods that the ReplicaSet which created the pod should have now; undefined when it does not exist any more. */
export function wantedBy(world: World, { of, version }: Pick<SimPod, 'of' | 'version'>): number | undefined {
  const workload = world.workloads.find(({ name, kind }) => name === of && kind === 'Deployment');
  if (workload === undefined) return undefined;
  if (workload.frozen !== undefined) return workload.frozen.find((one) => one.version === version)?.replicas ?? 0;
  const old = world.pods.filter((pod) => isOwned(pod, workload) && pod.version < workload.version);
  if (version < workload.version) return old.filter((pod) => pod.version === version).length;
  return Math.max(0, Math.min(workload.replicas, workload.replicas + surgeOf(old) - old.length));
}

/** A rollout has one pod more than replicas. */
function surgeOf(old: readonly SimPod[]): number {
  return Math.min(1, old.length);
}

/**
 * ReplicaSets count only active pods: none that is told to stop, has failed or is finished (pkg/controller/controller_utils.go, FilterActivePods).
 */
function isOwned(pod: SimPod, { name }: SimWorkload): boolean {
  return pod.of === name && pod.ownerKind === 'ReplicaSet' && isActive(pod);
}

/** What the status of a pod's ReplicaSet reports about its pods. */
export function statusOf(
  world: World,
  { of, version }: SimPod,
): { readonly available: number; readonly refused?: string } {
  const workload = world.workloads.find(({ name }) => name === of);
  if (workload === undefined) return { available: 0 };
  const owned = world.pods.filter((pod) => isOwned(pod, workload) && pod.version === version);
  const ageMs = 1_000 * (workload.minReadySeconds ?? 0);
  const aged = owned.filter(({ ready, turnedAt = 0 }) => ready && world.clock.now() - turnedAt >= ageMs);
  const refused = refusalOf(workload, version);
  return { available: aged.length, ...(refused === undefined ? {} : { refused }) };
}

/** Whether the ReplicaSet of the pod's version selects it. */
function isSelected({ labels, version }: SimPod, { selector }: SimWorkload): boolean {
  return matches(selector, labels) && matches(templateHash(version), labels);
}

/** Pods that the selector no longer matches are released; pods without a controller that it matches are adopted. */
function fence(pod: SimPod, workload: SimWorkload): void {
  const fits = isSelected(pod, workload);
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
    pod.ownerSelector = { ...workload.selector, ...templateHash(pod.version) };
    pod.workload = `Deployment default/${workload.name}`;
  }
}

/**
 * The pods that a ReplicaSet with too many deletes, in its own order (Kubernetes 1.36, pkg/controller/controller_utils.go, ActivePodsWithRanks):
 * those without a node, those that do not run, those that are not ready, those with a lower deletion cost, those whose node has more of its pods, the
 * newer ones.
 */
function selectExcess(world: World, owned: readonly SimPod[], surplus: number): readonly SimPod[] {
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

/** A rollout deletes an old pod once more than enough are ready, or one that is not ready anyway. */
function replaceOldPods(world: World, workload: SimWorkload, owned: readonly SimPod[], old: readonly SimPod[]): void {
  const idle = old.find((pod) => !pod.ready);
  const spare = owned.filter((pod) => pod.ready).length > workload.replicas;
  const next = idle ?? (spare ? old[0] : undefined);
  if (next !== undefined && owned.length > workload.replicas) deletePod(world, next);
}

/**
 * A ReplicaSet that is not allowed to release a pod which it no longer selects does nothing else in that round, as long as there is one (Kubernetes
 * 1.36, pkg/controller/replicaset/replica_set.go, syncReplicaSet).
 */
function isDenied(world: World, workload: SimWorkload): boolean {
  const { name } = workload;
  if (!world.denials.some(({ workload: of, what }) => of === name && what === 'no-owner')) return false;
  return world.pods.some((pod) => isOwned(pod, workload) && !isSelected(pod, workload));
}
