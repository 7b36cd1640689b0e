import type { World } from '../world.ts';
import { instanceOf } from './groups.ts';
import { linkTo } from './links.ts';
import type { Instance, InstanceGroup } from './state.ts';

/** A VM as instances.get returns it. */
export function describeInstance(world: World, instance: Instance) {
  const zone = `zones/${instance.zone}`;
  return {
    kind: 'compute#instance',
    id: instance.id,
    name: instance.name,
    status: instance.status,
    creationTimestamp: instance.createdAt,
    zone: linkTo(world, zone),
    machineType: linkTo(world, `${zone}/machineTypes/${instance.machineType}`),
    networkInterfaces: [{ name: 'nic0', networkIP: instance.ip }],
    selfLink: linkTo(world, `${zone}/instances/${instance.name}`),
  };
}

/** A group as instanceGroupManagers.get returns it. */
export function describeGroup(world: World, group: InstanceGroup) {
  const members = [...group.members.values()];
  const doing = (action: string) => members.filter((member) => member.action === action).length;
  const path = `zones/${group.zone}`;
  return {
    kind: 'compute#instanceGroupManager',
    id: group.id,
    name: group.name,
    zone: linkTo(world, path),
    targetSize: group.targetSize,
    baseInstanceName: group.name.replace(/-grp$/, ''),
    instanceGroup: linkTo(world, `${path}/instanceGroups/${group.name}`),
    ...(group.targetPools.length > 0 && { targetPools: group.targetPools.map((one) => linkTo(world, one)) }),
    currentActions: {
      none: doing('NONE'),
      creating: doing('CREATING'),
      recreating: doing('RECREATING'),
      deleting: doing('DELETING'),
    },
    status: { isStable: doing('NONE') === members.length && members.length === group.targetSize },
    selfLink: linkTo(world, `${path}/instanceGroupManagers/${group.name}`),
  };
}

/** The members as listManagedInstances returns them. One without a VM has no status. */
export function describeMembers(world: World, group: InstanceGroup) {
  return [...group.members.values()].map((member) => {
    const instance = instanceOf(world, group, member);
    return {
      instance: linkTo(world, `zones/${group.zone}/instances/${member.name}`),
      name: member.name,
      currentAction: member.action,
      ...(instance !== undefined && { id: instance.id, instanceStatus: instance.status }),
      ...(instance === undefined &&
        group.errors[0] !== undefined && { lastAttempt: { errors: { errors: [group.errors[0]] } } }),
    };
  });
}

/** The errors as listErrors returns them, newest first. */
export function describeErrors(world: World, group: InstanceGroup) {
  return group.errors.map(({ code, message, instance, at }) => ({
    error: { code, message },
    timestamp: at,
    instanceActionDetails: {
      action: 'CREATING',
      instance: linkTo(world, `zones/${group.zone}/instances/${instance}`),
    },
  }));
}
