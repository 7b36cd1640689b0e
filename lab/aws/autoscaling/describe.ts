import type {
  Activity,
  AutoScalingInstanceDetails,
  AutoScalingGroup as GroupDescription,
  TagDescription,
} from '@aws-sdk/client-auto-scaling';
import { ACCOUNT_ID, type World } from '../world.ts';
import type { AutoScalingGroup, GroupMember, ScalingActivity } from './state.ts';

/** The group's launch template as Auto Scaling describes it. */
function templateOf(world: World, group: AutoScalingGroup) {
  const template = world.launchTemplates.get(group.launchTemplateId);
  return { LaunchTemplateId: group.launchTemplateId, LaunchTemplateName: template?.name, Version: '1' };
}

/** Tags with the group that they belong to. */
export function describeTags(group: AutoScalingGroup): TagDescription[] {
  return [...group.tags].map(([Key, { value, propagate }]) => ({
    ResourceId: group.name,
    ResourceType: 'auto-scaling-group',
    Key,
    Value: value,
    PropagateAtLaunch: propagate,
  }));
}

function describeMember(world: World, group: AutoScalingGroup, member: GroupMember) {
  return {
    InstanceId: member.instanceId,
    InstanceType: member.instanceType,
    AvailabilityZone: member.zone,
    LifecycleState: member.lifecycle,
    LaunchTemplate: templateOf(world, group),
    ProtectedFromScaleIn: member.protectedFromScaleIn,
  };
}

/** A group as DescribeAutoScalingGroups returns it. */
export function describeGroup(world: World, group: AutoScalingGroup): GroupDescription {
  return {
    AutoScalingGroupName: group.name,
    AutoScalingGroupARN: `arn:aws:autoscaling:${world.region}:${ACCOUNT_ID}:autoScalingGroup:${group.name.slice(-36)}:autoScalingGroupName/${group.name}`,
    LaunchTemplate: templateOf(world, group),
    MinSize: group.min,
    MaxSize: group.max,
    DesiredCapacity: group.desired,
    DefaultCooldown: 300,
    AvailabilityZones: world.network.subnets.filter(({ id }) => group.subnetIds.includes(id)).map(({ zone }) => zone),
    LoadBalancerNames: [],
    TargetGroupARNs: [],
    HealthCheckType: 'EC2',
    HealthCheckGracePeriod: 15,
    Instances: [...group.members.values()].map((member) => ({
      ...describeMember(world, group, member),
      HealthStatus: member.health,
    })),
    CreatedTime: new Date(group.createdAt),
    SuspendedProcesses: [...group.suspended].map(([ProcessName, SuspensionReason]) => ({
      ProcessName,
      SuspensionReason,
    })),
    VPCZoneIdentifier: group.subnetIds.join(','),
    EnabledMetrics: [],
    Status: group.deleting ? 'Delete in progress' : undefined,
    Tags: describeTags(group),
    TerminationPolicies: ['Default'],
    NewInstancesProtectedFromScaleIn: group.newInstancesProtected,
  };
}

/** A member as DescribeAutoScalingInstances returns it; health is in capitals there (API reference). */
export function describeInstance(
  world: World,
  group: AutoScalingGroup,
  member: GroupMember,
): AutoScalingInstanceDetails {
  return {
    ...describeMember(world, group, member),
    AutoScalingGroupName: group.name,
    HealthStatus: member.health === 'Healthy' ? 'HEALTHY' : 'UNHEALTHY',
  };
}

/** An entry of the group's history. */
export function describeActivity(group: AutoScalingGroup, activity: ScalingActivity): Activity {
  return {
    ActivityId: activity.id,
    AutoScalingGroupName: group.name,
    Description: activity.description,
    Cause: activity.cause,
    StartTime: new Date(activity.startedAt),
    EndTime: activity.endedAt === undefined ? undefined : new Date(activity.endedAt),
    StatusCode: activity.status,
    StatusMessage: activity.message,
    Progress: activity.status === 'InProgress' ? 50 : 100,
    Details: '{}',
  };
}
