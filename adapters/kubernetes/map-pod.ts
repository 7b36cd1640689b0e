import type { V1Container, V1OwnerReference, V1Pod, V1Toleration } from '@kubernetes/client-node';

import { type PodFacts, type PodOwnerKind, type TolerationFacts } from '../../core/model/pod.ts';
import { needsOf } from './map-amounts.ts';
import { doNotDisruptOf, hasEmptyDirData } from './map-do-not-disrupt.ts';
import { lifecycleOf, servingContainers } from './map-lifecycle.ts';
import { requiredNodeLabels } from './map-node-labels.ts';
import { placementOf } from './map-placement.ts';
import {
  parseRaisedCostMark,
  parseReleasedMark,
  parseRemovedLabels,
  type ReleasedFromMark,
  raisedCostAnnotation,
  releasedAnnotation,
  removedLabelsAnnotation,
} from './ownership-marks.ts';

const mirrorAnnotation = 'kubernetes.io/config.mirror';
const defaultGraceSeconds = 30;

/** API group and kind of the controllers that are distinguished; everything else is `other`. */
const ownerKinds: Readonly<Record<string, PodOwnerKind>> = {
  'apps/ReplicaSet': 'ReplicaSet',
  'apps/StatefulSet': 'StatefulSet',
  'apps/DaemonSet': 'DaemonSet',
  'batch/Job': 'Job',
  '/Node': 'Node',
};

/** The facts in a Pod object. Facts from its ReplicaSet are added later. */
export function podFacts(pod: V1Pod): PodFacts {
  const { metadata, spec, status } = pod;
  const owner = metadata?.ownerReferences?.find((reference) => reference.controller === true);
  const grace = spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  const unschedulableReason = whyUnschedulable(pod);
  const deletion = metadata?.deletionTimestamp;
  const nodeLabels = requiredNodeLabels(spec);
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    node: spec?.nodeName,
    ...addressesOf(pod),
    ...gatesOf(pod),
    labels: metadata?.labels ?? {},
    ...ownerOf(owner, metadata?.annotations?.[removedLabelsAnnotation]),
    phase: (status?.phase ?? 'Unknown') as PodFacts['phase'],
    ...readinessOf(pod),
    terminating: deletion !== undefined,
    mirror: metadata?.annotations?.[mirrorAnnotation] !== undefined,
    hostNetwork: spec?.hostNetwork ?? false,
    hasEmptyDir: hasEmptyDirData(pod),
    preStopSeconds: Math.min(preStopSleepSeconds(spec?.containers ?? []), grace),
    terminationGracePeriodSeconds: grace,
    tolerations: (spec?.tolerations ?? []).map(tolerationFacts),
    ...(nodeLabels === undefined ? {} : { requiredNodeLabels: nodeLabels }),
    ...placementOf(pod),
    ...lifecycleOf(spec),
    ...openGatesOf(pod),
    ...(spec?.priority === undefined ? {} : { priority: spec.priority }),
    ...(spec?.priorityClassName ? { priorityClass: spec.priorityClassName } : {}),
    ...needsOf(pod),
    ...(deletion === undefined ? {} : { killedAt: new Date(deletion).getTime(), ...remains(pod) }),
    ...doNotDisruptOf(pod),
    ...volumeClaimsOf(pod),
    ...(unschedulableReason === undefined ? {} : { unschedulableReason }),
    ...ownershipOf(pod),
  };
}

/** A gate without a condition counts as False (Kubernetes docs, "Pod Lifecycle", Pod readiness). */
function gatesOf({ spec, status }: V1Pod): Pick<PodFacts, 'closedGate'> {
  const open = new Set(status?.conditions?.flatMap((one) => (one.status === 'True' ? one.type : [])));
  const closed = spec?.readinessGates?.find(({ conditionType }) => !open.has(conditionType));
  return closed === undefined ? {} : { closedGate: closed.conditionType };
}

/** Another pod may have the addresses of one that has run to its end, which is no endpoint any more (k8s.io/endpointslice, util/controller_utils.go, ShouldPodBeInEndpoints). */
function addressesOf({ status }: V1Pod): Pick<PodFacts, 'ips'> {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return {};
  const ips = (status?.podIPs ?? []).flatMap(({ ip }) => (ip === undefined || ip === '' ? [] : ip));
  return ips.length === 0 ? {} : { ips };
}

function readinessOf({ status }: V1Pod): Pick<PodFacts, 'ready' | 'unreadySince'> {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  if (condition?.status === 'True') return { ready: true };
  const since = condition?.lastTransitionTime;
  return {
    ready: false,
    ...(since === undefined || since === null ? {} : { unreadySince: new Date(since).getTime() }),
  };
}

/** Reasons of the conditions of open readiness gates (Kubernetes docs, "Pod Lifecycle", Pod readiness). */
function openGatesOf({ spec, status }: V1Pod): Pick<PodFacts, 'gatesOpenedBy'> {
  const gates = new Set((spec?.readinessGates ?? []).map(({ conditionType }) => conditionType));
  if (gates.size === 0) return {};
  const reasons = (status?.conditions ?? []).flatMap(({ type, status: value, reason }) =>
    gates.has(type) && value === 'True' && reason ? [[type, reason] as const] : [],
  );
  return reasons.length === 0 ? {} : { gatesOpenedBy: Object.fromEntries(reasons) };
}

function ownershipOf({ metadata }: V1Pod): Pick<PodFacts, 'endpointsRemoved' | 'released' | 'costRaisedBy'> {
  const annotations = metadata?.annotations ?? {};
  const mark = parseRemovedLabels(annotations[removedLabelsAnnotation]);
  const endpointsRemoved = mark && { by: mark.by, originalLabels: mark.originalLabels };
  const released = releasedFrom(parseReleasedMark(annotations[releasedAnnotation]));
  const raised = parseRaisedCostMark(annotations[raisedCostAnnotation]);
  return {
    ...(endpointsRemoved === undefined ? {} : { endpointsRemoved }),
    ...(released === undefined ? {} : { released }),
    ...(raised === undefined ? {} : { costRaisedBy: raised.by }),
  };
}

/** Leaves out what is only needed to return the pod to its ReplicaSet. */
function releasedFrom(mark: ReleasedFromMark | undefined): PodFacts['released'] {
  if (mark === undefined) return undefined;
  const { annotationsBefore: _before, ...released } = mark;
  return released;
}

/** The state of a pod that is being deleted: whether its containers still run, and which finalizers keep its object. */
function remains({ metadata, spec, status }: V1Pod): Pick<PodFacts, 'stopped' | 'finalizers'> {
  const finalizers = metadata?.finalizers ?? [];
  const statuses = status?.containerStatuses ?? [];
  const ended =
    statuses.length === spec?.containers.length && statuses.every(({ state }) => state?.terminated !== undefined);
  const stopped = status?.phase === 'Succeeded' || status?.phase === 'Failed' || ended;
  return { ...(stopped ? { stopped } : {}), ...(finalizers.length === 0 ? {} : { finalizers }) };
}

/** Volume claims of a pod, including those that Kubernetes creates for its ephemeral volumes (Kubernetes docs, "Ephemeral Volumes", PVC naming). */
function volumeClaimsOf({ metadata, spec }: V1Pod): Pick<PodFacts, 'volumeClaims' | 'ownVolumeClaims'> {
  const volumes = spec?.volumes ?? [];
  const named = volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
  const own = volumes.flatMap(({ name, ephemeral }) =>
    ephemeral === undefined ? [] : [`${metadata?.name ?? ''}-${name}`],
  );
  return {
    ...(named.length + own.length === 0 ? {} : { volumeClaims: [...named, ...own] }),
    ...(own.length === 0 ? {} : { ownVolumeClaims: own }),
  };
}

/**
 * Seconds for which a `sleep` hook keeps every container that may serve alive after deletion (Kubernetes KEP-3960): the minimum over the containers
 * that may serve. An `exec` hook guarantees nothing: it ends at once when its command is missing.
 */
function preStopSleepSeconds(containers: readonly V1Container[]): number {
  const serving = servingContainers(containers);
  if (serving.length === 0) return 0;
  return Math.min(...serving.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0));
}

/** The owner of the pod. A pod that its DaemonSet released because its labels were removed still counts as that DaemonSet's. */
function ownerOf(
  owner: V1OwnerReference | undefined,
  endpointsRemoved: string | undefined,
): Pick<PodFacts, 'ownerKind' | 'ownerName' | 'ownerUid'> {
  if (owner !== undefined) return { ownerKind: ownerKindOf(owner), ownerName: owner.name, ownerUid: owner.uid };
  const daemonSet = parseRemovedLabels(endpointsRemoved)?.daemonSet;
  return daemonSet === undefined
    ? { ownerKind: 'none', ownerName: '' }
    : { ownerKind: 'DaemonSet', ownerName: daemonSet };
}

function ownerKindOf(owner: V1OwnerReference): PodOwnerKind {
  const group = owner.apiVersion.includes('/') ? owner.apiVersion.replace(/\/.*/, '') : '';
  return ownerKinds[`${group}/${owner.kind}`] ?? 'other';
}

function whyUnschedulable({ status }: V1Pod): string | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  return scheduled.message ?? scheduled.reason ?? 'no reason given';
}

function tolerationFacts({ key, operator, value, effect }: V1Toleration): TolerationFacts {
  return {
    ...(key === undefined ? {} : { key }),
    ...(operator === undefined ? {} : { operator: operator as 'Exists' | 'Equal' }),
    ...(value === undefined ? {} : { value }),
    ...(effect === undefined ? {} : { effect: effect as NonNullable<TolerationFacts['effect']> }),
  };
}
