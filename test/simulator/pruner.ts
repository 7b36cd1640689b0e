import { deletePod } from './pods.ts';
import { later, note, type World } from './world.ts';

/** How a GitOps tool treats what it considers garbage. */
interface Pruner {
  /** It leaves alone what an annotation protects. */
  readonly obeys: boolean;
}

/** Label by which Argo CD 2 recognizes what belongs to an application; Helm charts set it on pods too. */
const instanceLabel = 'app.kubernetes.io/instance';

/** It follows changes by a watch, and acts within seconds (argo-cd 37ee009, controller/appcontroller.go, selfHeal). */
const pruneEveryMs = 2_000;

/**
 * Deletes pods that have the label and no owner, as Argo CD with label tracking, automatic pruning and self-healing does: a plain delete that ignores
 * budgets. See core/pod-surge/keep-from-pruners.ts for its sources.
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

/** Makes all Deployments belong to one application, as a Helm chart labels them: in their pods' labels, not in their selectors. */
export function markAsInstance(world: World, instance: string): void {
  for (const workload of world.workloads)
    if (workload.kind === 'Deployment') workload.labels = { ...workload.labels, [instanceLabel]: instance };
  for (const pod of world.pods)
    if (pod.ownerKind === 'ReplicaSet') pod.labels = { ...pod.labels, [instanceLabel]: instance };
  world.changed();
}
