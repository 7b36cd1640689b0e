import type {
  V1DaemonSet,
  V1Deployment,
  V1DeploymentSpec,
  V1DeploymentStatus,
  V1ObjectMeta,
  V1PodTemplateSpec,
  V1ReplicaSet,
  V1StatefulSet,
} from '@kubernetes/client-node';

import type { WorkloadFacts } from '../../core/model/workload.ts';
import { writtenBy } from './map-written-by.ts';

/** The part of a ReplicaSet that is kept. */
export interface MappedReplicaSet {
  readonly uid: string;
  /** Its `matchLabels`. */
  readonly selector: Readonly<Record<string, string>>;
  /** Key of the Deployment that owns it; undefined for one without a Deployment. */
  readonly deployment: string | undefined;
  /** Pods that have been ready for its `minReadySeconds`. */
  readonly available: number;
  /** Why none of its pods can be created or deleted; undefined when they can. */
  readonly refused: string | undefined;
  readonly facts: WorkloadFacts;
}

/** The key by which pods name their workload. */
export function workloadKey(kind: WorkloadFacts['kind'], namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}

/**
 * A Deployment rolls out while its controller has not seen the newest template, or while pods of an older one are left (kubectl
 * pkg/polymorphichelpers/rollout_status.go). A replacement that is not Ready yet is not a rollout. A paused rollout makes no progress, nor does one
 * that exceeded its progress deadline: its controller leaves everything as it is (Kubernetes docs, "Deployments", Failed Deployment).
 */
export function deploymentFacts({ metadata, spec, status }: V1Deployment): WorkloadFacts {
  const unseen = (metadata?.generation ?? 0) > (status?.observedGeneration ?? 0);
  const old = (status?.replicas ?? 0) > (status?.updatedReplicas ?? 0);
  const paused = spec?.paused === true;
  const stalled = unseen || !old || paused ? undefined : whyStalled(status);
  return workload('Deployment', metadata, {
    replicas: spec?.replicas ?? 1,
    ...(spec?.selector === undefined ? {} : { selector: spec.selector }),
    ...templateOf(spec?.template),
    rollingOut: !paused && stalled === undefined && (unseen || old),
    surge: surgeOf(spec),
    mayLack: mayLackOf(spec),
    ...minReadyOf(spec),
    ...(paused ? { paused } : {}),
    ...(stalled === undefined ? {} : { stalled }),
  });
}

function whyStalled(status: V1DeploymentStatus | undefined): string | undefined {
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  if (progressing?.status !== 'False') return undefined;
  return progressing.message ?? progressing.reason ?? 'it does not progress';
}

/** `maxSurge`, a number or a percentage of the replicas that is rounded up (Kubernetes docs, "Deployments", Max Surge; 25% when absent). */
function surgeOf(spec: V1DeploymentSpec | undefined): number {
  if (spec?.strategy?.type === 'Recreate') return 0;
  const maxSurge = spec?.strategy?.rollingUpdate?.maxSurge ?? '25%';
  if (typeof maxSurge === 'number') return maxSurge;
  return Math.ceil((Number.parseFloat(maxSurge) / 100) * (spec?.replicas ?? 1));
}

/** `maxUnavailable`, a number or a percentage of the replicas that is rounded down (Kubernetes docs, "Deployments", Max Unavailable; 25% when absent). */
function mayLackOf(spec: V1DeploymentSpec | undefined): number {
  const replicas = spec?.replicas ?? 1;
  if (spec?.strategy?.type === 'Recreate') return replicas;
  const maxUnavailable = spec?.strategy?.rollingUpdate?.maxUnavailable ?? '25%';
  if (typeof maxUnavailable === 'number') return maxUnavailable;
  return Math.floor((Number.parseFloat(maxUnavailable) / 100) * replicas);
}

function minReadyOf(spec: { readonly minReadySeconds?: number } | undefined): Pick<WorkloadFacts, 'minReadySeconds'> {
  return spec?.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {};
}

/** A StatefulSet rolls out until every pod above its partition has the newest revision; with OnDelete, somebody else decides. */
export function statefulSetFacts({ metadata, spec, status }: V1StatefulSet): WorkloadFacts {
  const replicas = spec?.replicas ?? 1;
  const partition = spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const unseen = (metadata?.generation ?? 0) > (status?.observedGeneration ?? 0);
  const changing = status?.updateRevision !== undefined && status.updateRevision !== status.currentRevision;
  const old = changing && (status?.updatedReplicas ?? 0) < Math.max(0, replicas - partition);
  return workload('StatefulSet', metadata, {
    replicas,
    ...(spec?.selector === undefined ? {} : { selector: spec.selector }),
    ...templateOf(spec?.template),
    rollingOut: spec?.updateStrategy?.type !== 'OnDelete' && (unseen || old),
    ...minReadyOf(spec),
  });
}

/** The replicas of a DaemonSet are the nodes that it selects. */
export function daemonSetFacts({ metadata, spec, status }: V1DaemonSet): WorkloadFacts {
  const desired = status?.desiredNumberScheduled ?? 0;
  const unseen = (metadata?.generation ?? 0) > (status?.observedGeneration ?? 0);
  const old = (status?.updatedNumberScheduled ?? 0) < (status?.currentNumberScheduled ?? 0);
  return workload('DaemonSet', metadata, {
    replicas: desired,
    ...(spec?.selector === undefined ? {} : { takes: spec.selector }),
    ...templateOf(spec?.template),
    rollingOut: spec?.updateStrategy?.type !== 'OnDelete' && (unseen || old),
  });
}

/**
 * Facts of a ReplicaSet. Its condition ReplicaFailure quotes the API server's answer when a pod could not be created or deleted, and disappears when
 * that succeeds (kubernetes pkg/controller/replicaset/replica_set_utils.go, calculateStatus).
 */
export function replicaSetFacts({ metadata, spec, status }: V1ReplicaSet): MappedReplicaSet {
  const owner = metadata?.ownerReferences?.find((reference) => reference.controller === true);
  const isDeployed = owner?.kind === 'Deployment' && owner.apiVersion.startsWith('apps/');
  return {
    uid: metadata?.uid ?? '',
    selector: spec?.selector.matchLabels ?? {},
    available: status?.availableReplicas ?? 0,
    refused: status?.conditions?.find((one) => one.type === 'ReplicaFailure' && one.status === 'True')?.message,
    deployment: isDeployed ? workloadKey('Deployment', metadata?.namespace ?? '', owner.name) : undefined,
    facts: workload('ReplicaSet', metadata, {
      replicas: spec?.replicas ?? 1,
      ...(spec?.selector === undefined ? {} : { takes: spec.selector }),
      ...(owner === undefined || isDeployed
        ? {}
        : { keptBy: `${owner.kind} ${metadata?.namespace ?? ''}/${owner.name}` }),
      ...templateOf(spec?.template),
      rollingOut: false,
    }),
  };
}

/** What the pods of a workload are made from. */
function templateOf(template: V1PodTemplateSpec | undefined): Pick<WorkloadFacts, 'podLabels' | 'containers'> {
  const podLabels = template?.metadata?.labels ?? {};
  const containers = template?.spec?.containers.map(({ name }) => name);
  return { podLabels, ...(containers === undefined ? {} : { containers }) };
}

function workload(
  kind: WorkloadFacts['kind'],
  metadata: V1ObjectMeta | undefined,
  rest: Omit<WorkloadFacts, 'key' | 'kind' | 'namespace' | 'name'>,
): WorkloadFacts {
  const namespace = metadata?.namespace ?? '';
  const name = metadata?.name ?? '';
  return { key: workloadKey(kind, namespace, name), kind, namespace, name, ...writtenBy(metadata), ...rest };
}
