import { disruptedTaint, excludeLabel } from '../../core/model/labels.ts';
import type { PodFacts } from '../../core/model/pod.ts';
import type { PoolLock } from '../../core/model/pool-lock.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { Caches } from './caches.ts';
import type { LeaseLocks } from './lease-lock.ts';
import { deletionCostAnnotation, fenceAnnotation } from './ownership-marks.ts';

/** Finds what a run has left on the cluster, whether or not anything recorded it. */
export function leftoverOperations(
  caches: Caches,
  locks: Pick<LeaseLocks, 'list'>,
): Pick<Cluster, 'findLeftovers' | 'findLocks'> {
  async function findLeftovers(run: string): Promise<readonly string[]> {
    const { nodes, pods } = await caches.observe();
    const leases = await locks.list();
    return [
      ...nodes.flatMap(({ name, ownership }) => [
        ...(ownership.cordonedBy === run ? [`node ${name}: cordon`] : []),
        ...(ownership.excludedBy === run ? [`node ${name}: label ${excludeLabel}`] : []),
        ...(ownership.disruptedBy === run ? [`node ${name}: taint ${disruptedTaint}`] : []),
        ...(ownership.fence?.run === run ? [`node ${name}: annotation ${fenceAnnotation}`] : []),
      ]),
      // The annotations of a pod that is being deleted disappear with the pod.
      ...pods.filter(({ terminating }) => !terminating).flatMap((pod) => describePod(pod, run)),
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

  return { findLeftovers, findLocks };
}

function describePod(
  { namespace, name, endpointsRemoved, released, costRaisedBy }: PodFacts,
  run: string,
): readonly string[] {
  const removed = [
    ...(endpointsRemoved?.by === run ? Object.keys(endpointsRemoved.originalLabels) : []),
    ...(released?.by === run ? [released.label] : []),
  ];
  return [
    ...(endpointsRemoved?.by === run || released?.by === run
      ? [`pod ${namespace}/${name}: removed labels ${removed.join(', ')}`]
      : []),
    ...(costRaisedBy === run ? [`pod ${namespace}/${name}: annotation ${deletionCostAnnotation}`] : []),
  ];
}

/** Whether a holder is the run, or has it as one part of a path such as `pool-upgrade/<run>`. */
function namesRun(holder: string, run: string): boolean {
  return holder.split('/').includes(run);
}
