import { deletePod } from './pods.ts';
import { later, note, type World } from './world.ts';

/** How a tool for GitOps goes about what it takes for garbage. */
export interface Pruner {
  /** It leaves alone what an annotation tells it to. */
  readonly obeys: boolean;
}

/** Label by which Argo CD 2 knows what is of an application, and Helm charts put on pods too. */
export const instanceLabel = 'app.kubernetes.io/instance';

/** It is told of changes by a watch, and acts within seconds (argo-cd 37ee009, controller/appcontroller.go, selfHeal). */
const pruneEveryMs = 2_000;

/**
 * Deletes pods that have the label and no owner, as Argo CD with label tracking, automatic pruning and self-healing does: a plain delete
 * that asks no budget. See core/pod-surge/keep-from-pruners.ts for its sources.
 */
export function prune(world: World, { obeys }: Pruner): void {
  const sync = () => {
    for (const pod of world.pods) {
      if (pod.ownerKind !== 'none' || pod.terminating || pod.labels[instanceLabel] === undefined) continue;
      const options = pod.annotations?.['argocd.argoproj.io/sync-options']?.split(',') ?? [];
      if (obeys && options.some((option) => option.trim() === 'Prune=false')) continue;
      note(world, `pod ${pod.name} is pruned`);
      deletePod(world, pod);
    }
    later(world, pruneEveryMs, sync);
  };
  sync();
}

/** Has all Deployments be of one application, as a Helm chart marks them: in their pods' labels, not in what selects. */
export function markAsInstance(world: World, instance: string): void {
  for (const workload of world.workloads)
    if (workload.kind === 'Deployment') workload.labels = { ...workload.labels, [instanceLabel]: instance };
  for (const pod of world.pods)
    if (pod.ownerKind === 'ReplicaSet') pod.labels = { ...pod.labels, [instanceLabel]: instance };
  world.changed();
}
