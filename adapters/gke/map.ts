import type { compute_v1 } from '@googleapis/compute';
import type { InstanceFacts, PoolFacts } from '../../core/model/pool.ts';
import { tokenOf } from '../calls/suspension-token.ts';
import { nodePoolLabel } from './node-labels.ts';
import type { PoolObservation, ZoneGroup } from './observe.ts';
import {
  changedSettings,
  createdByLabel,
  explainEntries,
  type NodePoolMessage,
  nodeLabels,
  ownersAutoscaling,
  ownersLabels,
  ownersLimitsLabel,
  resourceLabels,
} from './settings-label.ts';

/** Nodes that a pool may have in one zone (GKE documentation, "Quotas and limits"), where no autoscaler limits it. */
const maxPerZone = 1_000;

/** Combines what GKE and the managed instance groups report. Sizes come from the groups, because they create and delete the VMs. */
export function mapPool(observation: PoolObservation, launchErrors: readonly string[]): PoolFacts {
  const { ref, pool } = observation;
  const zones = [...(pool.locations ?? [])].sort();
  const suspended = changedSettings(pool);
  const createdBy = resourceLabels(pool)[createdByLabel];
  return {
    ref,
    status: mapStatus(pool.status),
    version: /^\d+\.\d+/.exec(pool.version ?? '')?.[0] ?? '',
    desiredSize: desiredSize(observation),
    minSize: minSize(observation),
    maxSize: maxSize(pool),
    zones,
    labels: { ...ownersLabels(pool), [nodePoolLabel]: ref.name },
    instances: mapInstances(observation.groups),
    problems: [...mapConditions(pool), ...launchErrors],
    ...(suspended === undefined ? {} : { suspended: { token: tokenOf(suspended), what: explainEntries(suspended) } }),
    ...(createdBy === undefined ? {} : { createdBy }),
  };
}

function mapStatus(status: NodePoolMessage['status']): PoolFacts['status'] {
  switch (status) {
    case 'PROVISIONING':
      return 'creating';
    case 'RUNNING':
      return 'active';
    case 'RECONCILING':
      return 'updating';
    case 'STOPPING':
      return 'deleting';
    case 'ERROR':
      return 'failed';
    default:
      return 'degraded';
  }
}

/** VMs that the pool should have. While it has no groups yet, it should have what it was created with, in each of its zones. */
export function desiredSize({ pool, groups }: PoolObservation): number {
  if (groups.length === 0) return initialSize(pool);
  return groups.reduce((sum, group) => sum + group.targetSize, 0);
}

/** VMs that a pool is created with: the number is one per zone (GKE API reference, NodePool.initialNodeCount). */
export function initialSize({ initialNodeCount, locations }: NodePoolMessage): number {
  return (initialNodeCount ?? 0) * (locations?.length ?? 0);
}

/**
 * The fewest nodes that the autoscaler leaves, in all zones. A replacement may for the time being not shrink at all; its minimum is the one that its
 * source's owner chose, as far as it has as many nodes.
 */
export function minSize(observation: PoolObservation): number {
  const { pool } = observation;
  const limits = nodeLabels(pool)[ownersLimitsLabel] === undefined ? pool.autoscaling : ownersAutoscaling(pool);
  if (limits?.enabled !== true) return 0;
  const minimum = limits.totalMinNodeCount || (limits.minNodeCount ?? 0) * (pool.locations?.length ?? 0);
  return resourceLabels(pool)[createdByLabel] === undefined ? minimum : Math.min(minimum, desiredSize(observation));
}

/** The most nodes that the owner of the pool allows, also while its scaling is suspended. */
export function maxSize(pool: NodePoolMessage): number {
  const zones = pool.locations?.length ?? 0;
  const limits = pool.autoscaling?.enabled === true ? pool.autoscaling : ownersAutoscaling(pool);
  if (limits === undefined) return maxPerZone * zones;
  return limits.totalMaxNodeCount || (limits.maxNodeCount ?? 0) * zones;
}

/** What is wrong with the pool, in GKE's words: `GCE_STOCKOUT: …`. */
export function mapConditions({ conditions }: NodePoolMessage): string[] {
  return (conditions ?? []).map(({ code, canonicalCode, message }) => {
    const known = code === undefined || code === null || code === 'UNKNOWN' ? canonicalCode : code;
    return `${known ?? 'UNKNOWN'}: ${message ?? ''}`;
  });
}

/** Why VMs could not be created, each reason once: `ZONE_RESOURCE_POOL_EXHAUSTED: The zone …`. */
export function mapLaunchErrors(errors: readonly compute_v1.Schema$InstanceManagedByIgmError[]): string[] {
  return [...new Set(errors.map(({ error }) => `${error?.code ?? 'UNKNOWN'}: ${error?.message ?? ''}`))];
}

/** VMs of the groups. A member that a group has not been able to create yet is none. */
export function mapInstances(groups: readonly ZoneGroup[]): InstanceFacts[] {
  return groups.flatMap(({ zone, members }) =>
    members
      .filter((member) => member.instanceStatus !== undefined && member.instanceStatus !== null)
      .map((member) => ({ instanceId: vmNameOf(member), zone, state: mapMember(member) })),
  );
}

/** Name of a member's VM: the last part of its URL. */
export function vmNameOf({ instance }: compute_v1.Schema$ManagedInstance): string {
  return instance?.split('/').at(-1) ?? '';
}

/**
 * State of a member: what its group does with it decides (Compute API reference, listManagedInstances, `currentAction`), then the VM's own state. A VM
 * that is created again is not the one that it was.
 */
function mapMember({ currentAction, instanceStatus }: compute_v1.Schema$ManagedInstance): InstanceFacts['state'] {
  if (currentAction === 'DELETING' || currentAction === 'ABANDONING') return 'terminating';
  return mapVmStatus(instanceStatus);
}

/**
 * State of a VM (Compute Engine API reference, enum Instance.Types.Status). `TERMINATED` is one that is off, as `SUSPENDED` is: neither is deleted. Whether a VM
 * that is being stopped is being deleted is not told. One that is `DEPROVISIONING` is "halted", and its addresses and disks are released. `PENDING` is one
 * that waits for capacity. One in repair (`REPAIRING`) comes back as it was.
 */
export function mapVmStatus(status: string | null | undefined): InstanceFacts['state'] {
  switch (status) {
    case 'PENDING':
    case 'PROVISIONING':
    case 'STAGING':
      return 'pending';
    case 'STOPPING':
    case 'PENDING_STOP':
    case 'DEPROVISIONING':
      return 'terminating';
    case 'TERMINATED':
    case 'STOPPED':
    case 'SUSPENDED':
    case 'SUSPENDING':
      return 'stopped';
    default:
      return 'running';
  }
}

/** Codes of conditions and launch errors which mean that Google could not supply VMs (GKE's StatusCondition.Code; Compute Engine's error codes). */
const capacityCodes =
  /^(?:GCE_STOCKOUT|GCE_QUOTA_EXCEEDED|QUOTA_EXCEEDED|RESOURCE_EXHAUSTED|IP_SPACE_EXHAUSTED\w*|(?:ZONE_)?RESOURCE_POOL_EXHAUSTED\w*)$/;

/** True when a problem of a pool, as worded by describePool, means missing capacity. */
export function isCapacityProblem(problem: string): boolean {
  return capacityCodes.test(problem.split(':', 1)[0] ?? '');
}
