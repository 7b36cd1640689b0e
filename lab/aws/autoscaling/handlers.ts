import type {
  ActivitiesType,
  ActivityType,
  AutoScalingGroupNamesType,
  AutoScalingGroupsType,
  AutoScalingInstancesType,
  CompleteLifecycleActionType,
  CreateOrUpdateTagsType,
  DescribeAutoScalingInstancesType,
  DescribeScalingActivitiesType,
  DescribeTagsType,
  Filter,
  ScalingProcessQuery,
  SetDesiredCapacityType,
  SetInstanceProtectionQuery,
  TagsType,
  TerminateInstanceInAutoScalingGroupType,
  UpdateAutoScalingGroupType,
} from '@aws-sdk/client-auto-scaling';
import { AwsError } from '../codec/errors.ts';
import { pageOf } from '../paging.ts';
import { notifyChange, type World } from '../world.ts';
import { describeActivity, describeGroup, describeInstance, describeTags } from './describe.ts';
import { isTerminating, proceed, reconcile, terminateMember } from './groups.ts';
import { type AutoScalingGroup, type GroupMember, type ScalingProcess, scalingProcesses } from './state.ts';

const invalid = (message: string) => new AwsError('ValidationError', message);

/** Auto Scaling operations. */
export function autoScalingHandlers(world: World) {
  const groups = world.autoScalingGroups;

  function requireGroup(name: string | undefined): AutoScalingGroup {
    const group = groups.get(name ?? '');
    if (group === undefined) throw invalid(`AutoScalingGroup name not found - no such group: ${name}`);
    return group;
  }

  function requireMember(instanceId: string): { group: AutoScalingGroup; member: GroupMember } {
    for (const group of groups.values()) {
      const member = group.members.get(instanceId);
      if (member !== undefined) return { group, member };
    }
    throw invalid(`Instance Id not found - No managed instance found for instance ID: ${instanceId}`);
  }

  return {
    DescribeAutoScalingGroups(input: AutoScalingGroupNamesType): AutoScalingGroupsType {
      const named = input.AutoScalingGroupNames ?? [];
      const found = [...groups.values()].filter(
        (group) => (named.length === 0 || named.includes(group.name)) && matchesFilters(group, input.Filters),
      );
      const page = pageOf(found, input.NextToken, input.MaxRecords ?? 50, 'InvalidNextToken');
      return { AutoScalingGroups: page.items.map((group) => describeGroup(world, group)), NextToken: page.nextToken };
    },

    DescribeAutoScalingInstances(input: DescribeAutoScalingInstancesType): AutoScalingInstancesType {
      const ids = input.InstanceIds ?? [];
      const found = [...groups.values()]
        .flatMap((group) => [...group.members.values()].map((member) => ({ group, member })))
        .filter(({ member }) => ids.length === 0 || ids.includes(member.instanceId));
      const page = pageOf(found, input.NextToken, input.MaxRecords ?? 50, 'InvalidNextToken');
      return {
        AutoScalingInstances: page.items.map(({ group, member }) => describeInstance(world, group, member)),
        NextToken: page.nextToken,
      };
    },

    DescribeScalingActivities(input: DescribeScalingActivitiesType): ActivitiesType {
      const chosen =
        input.AutoScalingGroupName === undefined ? [...groups.values()] : [requireGroup(input.AutoScalingGroupName)];
      const found = chosen
        .flatMap((group) => group.activities.map((activity) => describeActivity(group, activity)))
        .filter((activity) => input.ActivityIds?.includes(activity.ActivityId ?? '') ?? true);
      const page = pageOf(found, input.NextToken, input.MaxRecords ?? 100, 'InvalidNextToken');
      return { Activities: [...page.items], NextToken: page.nextToken };
    },

    /**
     * The capacity is lowered before the instance is terminated, so that nothing replaces it. Refused at the minimum size (API reference,
     * TerminateInstanceInAutoScalingGroup). An instance that is already terminating is not counted twice.
     */
    TerminateInstanceInAutoScalingGroup(input: TerminateInstanceInAutoScalingGroupType): ActivityType {
      const { group, member } = requireMember(input.InstanceId ?? '');
      if (isTerminating(member)) {
        const activity = group.activities.find(({ instanceId }) => instanceId === member.instanceId);
        return { Activity: activity && describeActivity(group, activity) };
      }
      if (input.ShouldDecrementDesiredCapacity === true) {
        if (group.desired <= group.min) {
          throw invalid(
            `Currently, desiredSize equals minSize (${group.min}). Terminating instance without replacement will violate ` +
              "group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.",
          );
        }
        group.desired -= 1;
      }
      const activity = terminateMember(
        world,
        group,
        member,
        'instance was taken out of service in response to a user request.',
      );
      reconcile(world, group);
      return { Activity: describeActivity(group, activity) };
    },

    SetDesiredCapacity(input: SetDesiredCapacityType): object {
      const group = requireGroup(input.AutoScalingGroupName);
      const wanted = input.DesiredCapacity ?? 0;
      if (wanted > group.max) throw invalid(outOfBounds(wanted, 'above max', group.max));
      if (wanted < group.min) throw invalid(outOfBounds(wanted, 'below min', group.min));
      group.desired = wanted;
      reconcile(world, group);
      return {};
    },

    /** A desired capacity outside the new bounds moves to the nearer one (API reference, UpdateAutoScalingGroup). */
    UpdateAutoScalingGroup(input: UpdateAutoScalingGroupType): object {
      const group = requireGroup(input.AutoScalingGroupName);
      const min = input.MinSize ?? group.min;
      const max = input.MaxSize ?? group.max;
      if (min > max) throw invalid(`Max bound, ${max}, must be greater than or equal to min bound, ${min}`);
      const desired = input.DesiredCapacity ?? Math.min(Math.max(group.desired, min), max);
      if (desired < min || desired > max) {
        throw invalid(`Desired capacity:${desired} must be between the specified min size:${min} and max size:${max}`);
      }
      Object.assign(group, { min, max, desired });
      if (input.NewInstancesProtectedFromScaleIn !== undefined) {
        group.newInstancesProtected = input.NewInstancesProtectedFromScaleIn;
      }
      reconcile(world, group);
      return {};
    },

    SuspendProcesses(input: ScalingProcessQuery): object {
      const group = requireGroup(input.AutoScalingGroupName);
      const now = new Date(world.clock.now()).toISOString();
      for (const process of requireProcesses(input)) group.suspended.set(process, `User suspended at ${now}`);
      notifyChange(world);
      return {};
    },

    ResumeProcesses(input: ScalingProcessQuery): object {
      const group = requireGroup(input.AutoScalingGroupName);
      for (const process of requireProcesses(input)) group.suspended.delete(process);
      reconcile(world, group);
      return {};
    },

    SetInstanceProtection(input: SetInstanceProtectionQuery): object {
      const group = requireGroup(input.AutoScalingGroupName);
      const members = (input.InstanceIds ?? []).map((id) => {
        const member = group.members.get(id);
        if (member === undefined) throw invalid(`The instance ${id} is not part of Auto Scaling group ${group.name}.`);
        return member;
      });
      for (const member of members) member.protectedFromScaleIn = input.ProtectedFromScaleIn ?? false;
      reconcile(world, group);
      return {};
    },

    /** Nothing but a termination waits for an action here. */
    CompleteLifecycleAction(input: CompleteLifecycleActionType): object {
      const group = requireGroup(input.AutoScalingGroupName);
      const member = group.members.get(input.InstanceId ?? '');
      if (member?.lifecycle !== 'Terminating:Wait')
        throw invalid(`No active Lifecycle Action found with instance ID ${input.InstanceId}`);
      proceed(world, group, member);
      return {};
    },

    CreateOrUpdateTags(input: CreateOrUpdateTagsType): object {
      for (const { ResourceId, Key = '', Value = '', PropagateAtLaunch = false } of input.Tags ?? []) {
        requireGroup(ResourceId).tags.set(Key, { value: Value, propagate: PropagateAtLaunch });
      }
      notifyChange(world);
      return {};
    },

    DeleteTags(input: CreateOrUpdateTagsType): object {
      for (const { ResourceId, Key = '' } of input.Tags ?? []) requireGroup(ResourceId).tags.delete(Key);
      notifyChange(world);
      return {};
    },

    DescribeTags(input: DescribeTagsType): TagsType {
      const found = [...groups.values()].flatMap(describeTags).filter((tag) =>
        (input.Filters ?? []).every(({ Name, Values = [] }) => {
          const members: Record<string, string | undefined> = {
            'auto-scaling-group': tag.ResourceId,
            key: tag.Key,
            value: tag.Value,
          };
          return Values.includes(members[Name ?? ''] ?? '');
        }),
      );
      const page = pageOf(found, input.NextToken, input.MaxRecords ?? 50, 'InvalidNextToken');
      return { Tags: [...page.items], NextToken: page.nextToken };
    },
  };
}

const outOfBounds = (wanted: number, side: string, bound: number) =>
  `New SetDesiredCapacity value ${wanted} is ${side} value ${bound} for the AutoScalingGroup.`;

/** Group filters are tag-key, tag-value and tag:<key> (API reference, Filter). */
function matchesFilters(group: AutoScalingGroup, filters: readonly Filter[] | undefined): boolean {
  return (filters ?? []).every(({ Name = '', Values = [] }) =>
    [...group.tags].some(([key, { value }]) => {
      if (Name === 'tag-key') return Values.includes(key);
      if (Name === 'tag-value') return Values.includes(value);
      return Name === `tag:${key}` && Values.includes(value);
    }),
  );
}

/** No names means all processes (API reference, SuspendProcesses). */
function requireProcesses(input: ScalingProcessQuery): readonly ScalingProcess[] {
  if (input.ScalingProcesses === undefined || input.ScalingProcesses.length === 0) return scalingProcesses;
  return input.ScalingProcesses.map((name) => {
    const process = scalingProcesses.find((known) => known === name);
    if (process === undefined) throw invalid(`${name} is not a valid Scaling Process`);
    return process;
  });
}
