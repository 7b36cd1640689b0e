import { isStockedOut } from '../faults.ts';
import { later, notifyChange, randomId, timestamp, type World } from '../world.ts';
import { switchOff, switchOn, takeAddress } from './instances.ts';
import type { Instance, InstanceGroup, Member } from './state.ts';

/** Members that count towards the target size. */
export function livingMembers(group: InstanceGroup): Member[] {
  return [...group.members.values()].filter(({ action }) => action !== 'DELETING');
}

/** Whether all VMs that the group should have are running. */
export function isComplete(world: World, group: InstanceGroup): boolean {
  const running = livingMembers(group).filter((member) => instanceOf(world, group, member)?.status === 'RUNNING');
  return running.length === group.targetSize && livingMembers(group).length === group.targetSize;
}

/** The VM of a member; undefined while there is none. */
export function instanceOf(world: World, group: InstanceGroup, member: Member): Instance | undefined {
  return world.instances.get(`${group.zone}/${member.name}`);
}

/** Adds a group without members. `prefix` is its name without the ending. */
export function addGroup(
  world: World,
  prefix: string,
  settings: Pick<InstanceGroup, 'zone' | 'machineType' | 'node'>,
): InstanceGroup {
  const group: InstanceGroup = {
    ...settings,
    name: `${prefix}-grp`,
    id: randomId(world, 19),
    targetSize: 0,
    targetPools: [],
    members: new Map(),
    errors: [],
  };
  world.groups.set(`${group.zone}/${group.name}`, group);
  return group;
}

/** Creates and deletes VMs until the group has its target size. */
export function reconcile(world: World, group: InstanceGroup, bootMs = world.delays.instanceBootMs): void {
  while (livingMembers(group).length < group.targetSize) {
    const member: Member = { name: `${group.name.replace(/-grp$/, '')}-${randomName(world)}`, action: 'CREATING' };
    group.members.set(member.name, member);
    launch(world, group, member, bootMs);
  }
  // A group that has to shrink chooses its victims itself (Compute Engine documentation, "Resize a MIG"): here the oldest.
  for (const member of livingMembers(group).slice(0, livingMembers(group).length - group.targetSize)) {
    deleteMember(world, group, member);
  }
  notify(world, group);
}

function launch(world: World, group: InstanceGroup, member: Member, bootMs: number): void {
  if (group.members.get(member.name) !== member || member.action === 'DELETING') return;
  if (isStockedOut(world.faults, group.zone)) {
    group.errors.unshift(stockOut(world, group, member));
    later(world, world.delays.launchRetryMs, () => launch(world, group, member, bootMs));
    return notify(world, group);
  }
  const instance: Instance = {
    id: randomId(world, 19),
    name: member.name,
    zone: group.zone,
    machineType: group.machineType,
    ip: takeAddress(world, group.zone),
    createdAt: timestamp(world),
    node: group.node,
    status: 'PROVISIONING',
  };
  world.instances.set(`${group.zone}/${member.name}`, instance);
  const run = () => {
    if (instance.status !== 'PROVISIONING') return;
    switchOn(world, instance);
    if (member.action === 'CREATING' || member.action === 'RECREATING') member.action = 'NONE';
    notify(world, group);
  };
  if (bootMs === 0) run();
  else later(world, bootMs, run);
}

/** Compute Engine documentation, "Troubleshooting resource availability errors". */
function stockOut(world: World, group: InstanceGroup, member: Member): InstanceGroup['errors'][number] {
  return {
    code: 'ZONE_RESOURCE_POOL_EXHAUSTED',
    message: `The zone 'projects/${world.project}/zones/${group.zone}' does not have enough resources available to fulfill the request. Try a different zone, or try again later.`,
    instance: member.name,
    at: timestamp(world),
  };
}

/** The group gives the member up: its VM is deleted, and none takes its place. */
export function deleteMember(world: World, group: InstanceGroup, member: Member): void {
  member.action = 'DELETING';
  const instance = instanceOf(world, group, member);
  const gone = () => {
    world.instances.delete(`${group.zone}/${member.name}`);
    group.members.delete(member.name);
    notify(world, group);
  };
  if (instance === undefined) return gone();
  switchOff(world, instance);
  later(world, world.delays.instanceTerminationMs, gone);
}

/** Somebody deletes a VM itself. Its group repairs that: it creates the VM again, under the same name (Compute Engine documentation, "About repairing VMs in a MIG"). */
export function deleteInstance(world: World, instance: Instance): void {
  switchOff(world, instance);
  const group = [...world.groups.values()].find(
    ({ zone, members }) => zone === instance.zone && members.has(instance.name),
  );
  const member = group?.members.get(instance.name);
  later(world, world.delays.instanceTerminationMs, () => {
    world.instances.delete(`${instance.zone}/${instance.name}`);
    notifyChange(world);
    if (group === undefined || member === undefined || member.action === 'DELETING') return;
    member.action = 'RECREATING';
    launch(world, group, member, world.delays.instanceBootMs);
  });
}

function notify(world: World, group: InstanceGroup): void {
  for (const listener of world.groupListeners) listener(group);
  notifyChange(world);
}

/** Four letters or digits, as managed instance groups append them. */
function randomName(world: World): string {
  const letters = 'bcdfghjklmnpqrstvwxz0123456789';
  return Array.from({ length: 4 }, () => letters[Math.floor(world.random() * letters.length)]).join('');
}
