import type { Activity, AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { InstanceStateName } from '@aws-sdk/client-ec2';
import type { Nodegroup, NodegroupStatus } from '@aws-sdk/client-eks';
import type { InstanceFacts, PoolFacts, PoolRef } from '../../core/model/pool.ts';
import { tokenOf } from '../calls/suspension-token.ts';
import { createdByTag } from './clone.ts';
import { nodegroupLabel } from './node-labels.ts';
import { ownSettings } from './own-settings.ts';
import { changedSettings, explainEntries, ownersMinSize } from './settings-tag.ts';

/** A node group with its Auto Scaling group, which is missing while the node group is new or nearly deleted. */
export interface PoolObservation {
  readonly ref: PoolRef;
  readonly nodegroup: Nodegroup;
  readonly group: AutoScalingGroup | undefined;
}

/** Combines what EKS and Auto Scaling report. Sizes come from Auto Scaling, because it is what launches and terminates. */
export function mapPool(observation: PoolObservation, launchFailures: readonly string[]): PoolFacts {
  const { ref, nodegroup, group } = observation;
  const suspended = changedSettings(nodegroup);
  const createdBy = nodegroup.tags?.[createdByTag];
  const own = group === undefined ? [] : ownSettings(ref.cluster, nodegroup, group);
  return {
    ref,
    status: mapStatus(nodegroup.status),
    version: nodegroup.version ?? '',
    desiredSize: desiredSize(observation),
    minSize: minSize(observation),
    maxSize: group?.MaxSize ?? nodegroup.scalingConfig?.maxSize ?? 0,
    zones: [...(group?.AvailabilityZones ?? [])].sort(),
    labels: { ...nodegroup.labels, [nodegroupLabel]: ref.name },
    instances: mapInstances(group),
    problems: [...mapIssues(nodegroup), ...launchFailures],
    ...(suspended === undefined ? {} : { suspended: { token: tokenOf(suspended), what: explainEntries(suspended) } }),
    ...(createdBy === undefined ? {} : { createdBy }),
    ...mapAttached(group),
    ...(own.length === 0 ? {} : { ownSettings: own }),
  };
}

function desiredSize({ nodegroup, group }: PoolObservation): number {
  return group?.DesiredCapacity ?? nodegroup.scalingConfig?.desiredSize ?? 0;
}

/**
 * A replacement may for the time being not shrink at all; its minimum is the one that its source's owner chose, as far as it has as many instances.
 */
function minSize(observation: PoolObservation): number {
  const { nodegroup, group } = observation;
  const now = group?.MinSize ?? nodegroup.scalingConfig?.minSize ?? 0;
  const owners = ownersMinSize(nodegroup);
  return owners === undefined ? now : Math.min(now, owners, desiredSize(observation));
}

/**
 * What is attached to the Auto Scaling group: target groups and Classic Load Balancers, which are also among its traffic sources since those exist (Auto
 * Scaling API reference, AutoScalingGroup). Controllers of Kubernetes register instances by themselves, and attach nothing.
 */
function mapAttached(group: AutoScalingGroup | undefined): Pick<PoolFacts, 'attached'> {
  const { TargetGroupARNs = [], LoadBalancerNames = [], TrafficSources = [] } = group ?? {};
  const all = [
    ...TargetGroupARNs,
    ...LoadBalancerNames,
    ...TrafficSources.flatMap(({ Identifier }) => Identifier ?? []),
  ];
  // `arn:aws:elasticloadbalancing:REGION:ACCOUNT:targetgroup/NAME/ID`
  const names = all.map((identifier) => identifier.split(':targetgroup/')[1]?.split('/')[0] ?? identifier);
  return names.length === 0 ? {} : { attached: [...new Set(names)].toSorted() };
}

function mapStatus(status: NodegroupStatus | undefined): PoolFacts['status'] {
  switch (status) {
    case 'CREATING':
      return 'creating';
    case 'ACTIVE':
      return 'active';
    case 'UPDATING':
      return 'updating';
    case 'DELETING':
      return 'deleting';
    case 'CREATE_FAILED':
    case 'DELETE_FAILED':
      return 'failed';
    case 'DEGRADED':
    case undefined:
      return 'degraded';
  }
}

/** Health issues of a node group as text: `AsgInstanceLaunchFailures: Insufficient capacity (eks-web-…)`. */
export function mapIssues(nodegroup: Nodegroup): string[] {
  return (nodegroup.health?.issues ?? []).map(({ code, message, resourceIds }) => {
    const where = resourceIds === undefined || resourceIds.length === 0 ? '' : ` (${resourceIds.join(', ')})`;
    return `${code ?? 'Unknown'}: ${message ?? ''}${where}`;
  });
}

/**
 * Launches that failed since the last successful one, as worded by Auto Scaling. Auto Scaling reports at once what EKS reports as a health issue only
 * much later. `activities` are newest first, as DescribeScalingActivities returns them.
 */
export function mapLaunchFailures(activities: readonly Activity[]): string[] {
  const launches = activities.filter(({ Description }) => Description?.startsWith('Launching') === true);
  const lastSuccess = launches.findIndex(({ StatusCode }) => StatusCode === 'Successful');
  const failed = (lastSuccess === -1 ? launches : launches.slice(0, lastSuccess)).filter(
    ({ StatusCode }) => StatusCode === 'Failed',
  );
  return [
    ...new Set(failed.map(({ StatusMessage }) => `AsgInstanceLaunchFailures: ${StatusMessage ?? 'no reason given'}`)),
  ];
}

/** Instances of the group. Those of a warm pool do not belong to the cluster. */
export function mapInstances(group: AutoScalingGroup | undefined): InstanceFacts[] {
  return (group?.Instances ?? [])
    .filter(({ LifecycleState }) => LifecycleState?.startsWith('Warmed:') !== true)
    .map((instance) => ({
      instanceId: instance.InstanceId ?? '',
      zone: instance.AvailabilityZone ?? '',
      state: mapLifecycle(instance.LifecycleState),
    }));
}

/** Lifecycle states as in the Auto Scaling user guide, "Instance lifecycle"; `:Wait` and `:Proceed` belong to lifecycle hooks. */
export function mapLifecycle(state: string | undefined): InstanceFacts['state'] {
  if (state === 'Terminated') return 'terminated';
  if (state?.startsWith('Terminating') === true) return 'terminating';
  if (state?.startsWith('Pending') === true) return 'pending';
  return 'running';
}

/** An instance that is being stopped is not being terminated. */
export function mapInstanceState(state: InstanceStateName | undefined): InstanceFacts['state'] {
  switch (state) {
    case 'pending':
      return 'pending';
    case 'shutting-down':
      return 'terminating';
    case 'terminated':
      return 'terminated';
    case 'stopped':
      return 'stopped';
    case 'running':
    case 'stopping':
    case undefined:
      return 'running';
  }
}
