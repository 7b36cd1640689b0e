import type { PodRef, ReleasedFacts } from '../../core/model/pod.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { keepFromPruners, returnToPruners } from '../../core/pod-surge/keep-from-pruners.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import { replicaSetName } from './pods.ts';
import { statusOf, wantedBy } from './replica-sets.ts';
import { note, type SimPod, type World } from './world.ts';

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const highestCost = '2147483647';

type Ownership = Pick<
  Cluster,
  'release' | 'tryRelease' | 'adopt' | 'raiseDeletionCost' | 'restoreDeletionCost' | 'wakeOwner'
>;

/** The operations of the Cluster port between a pod and its ReplicaSet. */
export function createSimOwnership(world: World, podOf: (ref: PodRef) => SimPod | undefined): Ownership {
  return {
    release: async (ref, from, run) => {
      const pod = podOf(ref);
      const { label, value, replicaSet } = from;
      if (pod === undefined || pod.terminating) return 'gone';
      if (pod.released !== undefined && pod.labels[pod.released.label] === undefined) {
        pod.released = { ...pod.released, by: run };
        return 'done';
      }
      if (pod.ownerName !== replicaSet.name || pod.labels[label] !== value) return 'not-owned';
      requireAllowed(world, pod, 'release');
      pod.labels = Object.fromEntries(Object.entries(pod.labels).filter(([key]) => key !== label));
      pod.released = { by: run, ...from };
      protectFromPruners(pod);
      note(world, `pod ${pod.name} on ${pod.node} released`);
      return 'done';
    },
    tryRelease: async (ref) => deniedInTrial(world, podOf(ref), ['release', 'no-owner']),
    adopt: async (ref, run) => {
      const pod = podOf(ref);
      if (pod === undefined) return 'gone';
      if (pod.released?.by !== run) return 'not-ours';
      if (pod.terminating) return 'gone';
      const { label, value } = pod.released;
      pod.labels = { [label]: value, ...pod.labels };
      delete (pod as { released?: unknown }).released;
      unprotectFromPruners(pod);
      note(world, `pod ${pod.name} on ${pod.node} adopted`);
      return 'done';
    },
    raiseDeletionCost: async (ref, run) => {
      const pod = podOf(ref);
      if (pod === undefined || pod.terminating) return 'gone';
      const cost = pod.annotations?.[deletionCost];
      if (pod.costRaisedBy === undefined || cost !== highestCost) pod.costBefore = cost;
      pod.costRaisedBy = run;
      pod.annotations = { ...pod.annotations, [deletionCost]: highestCost };
      return 'done';
    },
    restoreDeletionCost: async (ref, run) => {
      const pod = podOf(ref);
      if (pod === undefined) return 'gone';
      if (pod.costRaisedBy !== run) return 'not-ours';
      const { [deletionCost]: cost, ...others } = pod.annotations ?? {};
      const kept = cost === highestCost ? pod.costBefore : cost;
      pod.annotations = kept === undefined ? others : { ...others, [deletionCost]: kept };
      delete (pod as { costRaisedBy?: unknown }).costRaisedBy;
      return 'done';
    },
    wakeOwner: async (ref) => {
      const pod = podOf(ref);
      if (pod !== undefined) pod.touched = (pod.touched ?? 0) + 1;
    },
  };
}

/** What admission says in a dry run of one of these. */
export function deniedInTrial(
  { denials }: World,
  pod: SimPod | undefined,
  acts: readonly World['denials'][number]['what'][],
): string | undefined {
  const isSaid = ({ workload, what, hidden }: World['denials'][number]) =>
    workload === pod?.of && acts.includes(what) && hidden !== true;
  return denials.find(isSaid)?.says;
}

/** @throws NodeferryError AdmissionDenied */
export function requireAllowed({ denials }: World, pod: SimPod, act: 'release' | 'remove-endpoints'): void {
  const denial = denials.find(({ workload, what }) => workload === pod.of && what === act);
  if (denial !== undefined) throw new NodeferryError({ code: 'AdmissionDenied', message: denial.says });
}

/** Annotates a pod that may have no owner from now on. */
export function protectFromPruners(pod: SimPod): void {
  const { set, before } = keepFromPruners(pod.annotations ?? {}, pod.annotationsBefore ?? {});
  pod.annotations = { ...pod.annotations, ...set };
  pod.annotationsBefore = before;
}

/** Restores the annotations once the pod is neither released nor removed from endpoints. */
export function unprotectFromPruners(pod: SimPod): void {
  if (pod.released !== undefined || pod.endpointsRemoved !== undefined) return;
  annotate(pod, returnToPruners(pod.annotations ?? {}, pod.annotationsBefore ?? {}));
  delete (pod as { annotationsBefore?: unknown }).annotationsBefore;
}

function annotate(pod: SimPod, changes: Readonly<Record<string, string | null>>): void {
  const all = Object.entries({ ...pod.annotations, ...changes });
  pod.annotations = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Facts of a released pod: its ReplicaSet is read again. */
export function releasedFacts(world: World, pod: SimPod): ReleasedFacts | undefined {
  if (pod.released === undefined) return undefined;
  const wants = pod.released.replicaSet.name === replicaSetName(pod.of, pod.version) ? wantedBy(world, pod) : undefined;
  return wants === undefined ? pod.released : { ...pod.released, wants, ...statusOf(world, pod) };
}

/** What runs own on a pod, as text. */
export function podMarks(
  { namespace, name, endpointsRemoved, released, costRaisedBy }: SimPod,
  isOurs: (by: string | undefined) => boolean,
): string[] {
  const removed = [
    ...(isOurs(endpointsRemoved?.by) ? Object.keys(endpointsRemoved?.originalLabels ?? {}) : []),
    ...(released !== undefined && isOurs(released.by) ? [released.label] : []),
  ];
  return [
    ...(isOurs(endpointsRemoved?.by) || isOurs(released?.by)
      ? [`pod ${namespace}/${name}: removed labels ${removed.join(', ')}`]
      : []),
    ...(isOurs(costRaisedBy) ? [`pod ${namespace}/${name}: annotation ${deletionCost}`] : []),
  ];
}
