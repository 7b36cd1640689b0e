import type { PodFacts } from '../../core/model/pod.ts';
import type { Cluster, PoolLock } from '../../ports/cluster.ts';
import type { Caches } from './caches.ts';
import type { LeaseLocks } from './lease-lock.ts';
import { claimAnnotation, deletionCostAnnotation, excludeLabel, retiringTaint } from './marks.ts';

/** Looks for what a run has left on the cluster, whether or not anybody remembers having put it there. */
export function leftoverOperations(caches: Caches, locks: LeaseLocks): Pick<Cluster, 'findMarks' | 'findLocks'> {
  async function findMarks(run: string): Promise<readonly string[]> {
    const { nodes, pods } = await caches.observe();
    const leases = await locks.list();
    return [
      ...nodes.flatMap(({ name, marks }) => [
        ...(marks.cordonedBy === run ? [`node ${name}: cordon`] : []),
        ...(marks.excludedBy === run ? [`node ${name}: label ${excludeLabel}`] : []),
        ...(marks.retiringBy === run ? [`node ${name}: taint ${retiringTaint}`] : []),
        ...(marks.claim?.run === run ? [`node ${name}: annotation ${claimAnnotation}`] : []),
      ]),
      // The mark on a pod that is going ends with the pod.
      ...pods.filter(({ terminating }) => !terminating).flatMap((pod) => tellPod(pod, run)),
      ...leases
        .filter(({ spec }) => namesRun(spec?.holderIdentity ?? '', run))
        .map(({ metadata }) => `lease ${metadata.namespace}/${metadata.name}`),
    ];
  }

  async function findLocks(run: string): Promise<readonly PoolLock[]> {
    return (await locks.list()).flatMap(({ metadata, spec }) => {
      const holder = spec?.holderIdentity ?? '';
      return namesRun(holder, run) ? [{ name: metadata.name, holder, token: spec?.leaseTransitions ?? 0 }] : [];
    });
  }

  return { findMarks, findLocks };
}

function tellPod({ namespace, name, unlisted, released, costRaisedBy }: PodFacts, run: string): readonly string[] {
  const removed = [
    ...(unlisted?.by === run ? Object.keys(unlisted.originalLabels) : []),
    ...(released?.by === run ? [released.label] : []),
  ];
  return [
    ...(unlisted?.by === run || released?.by === run
      ? [`pod ${namespace}/${name}: removed labels ${removed.join(', ')}`]
      : []),
    ...(costRaisedBy === run ? [`pod ${namespace}/${name}: annotation ${deletionCostAnnotation}`] : []),
  ];
}

/** Whether a holder is the run, or has it as one part of a path such as `pool-upgrade/<run>`. */
function namesRun(holder: string, run: string): boolean {
  return holder.split('/').includes(run);
}
