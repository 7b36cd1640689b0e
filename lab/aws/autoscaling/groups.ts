import { launchInstance, terminateInstance } from '../ec2/instances.ts';
import type { Instance } from '../ec2/state.ts';
import { nodeIdentity } from '../eks/node-identity.ts';
import { takeRefusedLaunch } from '../faults.ts';
import { notifyChange, type World } from '../world.ts';
import { endActivities, failedLaunch, startActivity } from './activities.ts';
import type { AutoScalingGroup, GroupMember, ScalingActivity, ScalingProcess } from './state.ts';

const living = (member: GroupMember) => member.lifecycle === 'Pending' || member.lifecycle === 'InService';

/** Whether the group has begun to terminate the instance; a hook may still keep it running. */
export const isTerminating = (member: GroupMember) => member.lifecycle.startsWith('Terminating');

/** Members that count towards the desired capacity. */
export function livingMembers(group: AutoScalingGroup): GroupMember[] {
  return [...group.members.values()].filter(living);
}

const runs = (group: AutoScalingGroup, process: ScalingProcess) => !group.suspended.has(process);

/** Follows the state of the instances: running becomes InService, ended by others becomes Unhealthy, terminated by the group leaves it. */
export function followInstances(world: World): void {
  world.instanceListeners.push((instance) => {
    for (const group of world.autoScalingGroups.values()) {
      const member = group.members.get(instance.id);
      if (member !== undefined) followInstance(world, group, member, instance);
    }
  });
}

function followInstance(world: World, group: AutoScalingGroup, member: GroupMember, instance: Instance): void {
  switch (instance.state) {
    case 'pending':
      return;
    case 'running':
      if (member.lifecycle === 'Pending') member.lifecycle = 'InService';
      endActivities(world, group, instance.id);
      break;
    case 'shutting-down':
      break;
    case 'terminated':
      if (isTerminating(member)) leave(world, group, member);
      break;
  }
  reconcile(world, group);
}

function leave(world: World, group: AutoScalingGroup, member: GroupMember): void {
  member.lifecycle = 'Terminated';
  group.members.delete(member.instanceId);
  endActivities(world, group, member.instanceId);
}

/** Brings the group to its desired state, as far as its processes are not suspended. */
export function reconcile(world: World, group: AutoScalingGroup): void {
  checkHealth(world, group);
  replaceUnhealthy(world, group);
  launchMissing(world, group);
  terminateSurplus(world, group);
  rebalance(world, group);
  if (group.deleting && group.members.size === 0) world.autoScalingGroups.delete(group.name);
  for (const listener of world.groupListeners) listener(group);
  notifyChange(world);
}

/** HealthCheck marks instances as unhealthy that EC2 no longer runs. */
function checkHealth(world: World, group: AutoScalingGroup): void {
  if (!runs(group, 'HealthCheck')) return;
  for (const member of livingMembers(group)) {
    const state = world.instances.get(member.instanceId)?.state;
    if (state !== 'pending' && state !== 'running') member.health = 'Unhealthy';
  }
}

/**
 * ReplaceUnhealthy does nothing while Terminate is suspended. While Launch is suspended, it terminates and the replacement comes later (user guide,
 * "How suspended processes affect other processes").
 */
function replaceUnhealthy(world: World, group: AutoScalingGroup): void {
  if (!runs(group, 'ReplaceUnhealthy') || !runs(group, 'Terminate')) return;
  for (const member of livingMembers(group).filter(({ health }) => health === 'Unhealthy')) {
    terminateMember(world, group, member, 'an instance was taken out of service in response to an EC2 health check.');
  }
}

function launchMissing(world: World, group: AutoScalingGroup): void {
  if (group.deleting || !runs(group, 'Launch') || group.launchesPause) return;
  while (livingMembers(group).length < group.desired) {
    const cause = 'an instance was started in response to a difference between desired and actual capacity.';
    if (!launchInto(world, group, zonesBySize(group, world), cause)) return;
  }
}

/** A surplus from rebalancing waits until the new instance serves: Auto Scaling launches before it terminates. */
function terminateSurplus(world: World, group: AutoScalingGroup): void {
  if (!group.deleting && !runs(group, 'Terminate')) return;
  const pending = livingMembers(group).filter(({ lifecycle }) => lifecycle === 'Pending').length;
  // Counted again in each round: the end of one instance may call this function again before the loop continues.
  while (livingMembers(group).length - (group.rebalancing ? pending : 0) > group.desired) {
    const victim = scaleInVictim(world, group);
    if (victim === undefined) return;
    terminateMember(world, group, victim, 'an instance was taken out of service in response to a surplus of capacity.');
  }
  if (pending === 0) group.rebalancing = false;
}

/** Default termination policy: in the zone with the most instances, the oldest one; never a protected one. */
function scaleInVictim(world: World, group: AutoScalingGroup): GroupMember | undefined {
  const open = livingMembers(group).filter((member) => !member.protectedFromScaleIn);
  return zonesBySize(group, world)
    .reverse()
    .flatMap((zone) => open.filter((member) => member.zone === zone))[0];
}

/**
 * AZRebalance: a zone with two instances fewer than another gets one, then the larger zone loses one. It "might terminate instances in other zones"
 * after a terminate with decrement (API reference, TerminateInstanceInAutoScalingGroup). It does nothing while Launch is suspended. While Terminate
 * is suspended, it launches anyway and the group stays larger (user guide, "How suspended processes affect other processes").
 */
function rebalance(world: World, group: AutoScalingGroup): void {
  if (group.deleting || group.rebalancing || !runs(group, 'AZRebalance') || !runs(group, 'Launch')) return;
  if (livingMembers(group).length !== group.desired || group.launchesPause) return;
  const zones = zonesBySize(group, world);
  const [smallest, largest] = [zones[0], zones.at(-1)];
  if (smallest === undefined || largest === undefined || sizeOf(group, largest) - sizeOf(group, smallest) < 2) return;
  group.rebalancing = launchInto(world, group, [smallest], 'an instance was launched to rebalance the zones.');
}

const sizeOf = (group: AutoScalingGroup, zone: string) =>
  livingMembers(group).filter((member) => member.zone === zone).length;

/** Zones of the group, starting with the one that has the fewest instances. */
function zonesBySize(group: AutoScalingGroup, world: World): string[] {
  const zones = world.network.subnets.filter(({ id }) => group.subnetIds.includes(id)).map(({ zone }) => zone);
  return zones.sort((a, b) => sizeOf(group, a) - sizeOf(group, b));
}

/** Tries the zones in order. When EC2 has no capacity in any, the group pauses and then tries again. */
function launchInto(world: World, group: AutoScalingGroup, zones: readonly string[], cause: string): boolean {
  const nodegroup = world.nodegroups.get(group.nodegroup);
  const template = world.launchTemplates.get(group.launchTemplateId)?.versions.at(-1);
  if (nodegroup === undefined || template === undefined) return false;
  for (const zone of zones) {
    const subnet = world.network.subnets.find((s) => s.zone === zone && group.subnetIds.includes(s.id));
    if (subnet === undefined) continue;
    if (takeRefusedLaunch(world.faults, zone)) {
      failedLaunch(world, group, cause, template.instanceType, zone);
      continue;
    }
    const tags = new Map([...group.tags].filter(([, tag]) => tag.propagate).map(([key, tag]) => [key, tag.value]));
    tags.set('aws:autoscaling:groupName', group.name);
    const node = nodeIdentity(nodegroup, group.launchTemplateId);
    const instance = launchInstance(
      world,
      { subnetId: subnet.id, instanceType: template.instanceType, imageId: template.imageId, tags, node },
      group.prewarmed ? 0 : world.delays.instanceBootMs,
    );
    group.members.set(instance.id, {
      instanceId: instance.id,
      zone,
      instanceType: instance.instanceType,
      lifecycle: 'Pending',
      health: 'Healthy',
      protectedFromScaleIn: group.newInstancesProtected,
    });
    startActivity(world, group, `Launching a new EC2 instance: ${instance.id}`, cause, instance.id);
    return true;
  }
  group.launchesPause = true;
  world.clock.after(world.delays.launchRetryMs, () => {
    group.launchesPause = false;
    reconcile(world, group);
  });
  return false;
}

/** Removes a member from the group and terminates its instance, as soon as its hook allows. */
export function terminateMember(
  world: World,
  group: AutoScalingGroup,
  member: GroupMember,
  cause: string,
): ScalingActivity {
  member.lifecycle = group.terminationHookMs > 0 ? 'Terminating:Wait' : 'Terminating';
  const description = `Terminating EC2 instance: ${member.instanceId}`;
  const activity = startActivity(world, group, description, cause, member.instanceId);
  if (member.lifecycle === 'Terminating:Wait')
    world.clock.after(group.terminationHookMs, () => proceed(world, group, member));
  else endInstance(world, group, member);
  return activity;
}

/** The action of the hook is completed, or its time is over: in both cases the instance ends (user guide, "Lifecycle hooks"). */
export function proceed(world: World, group: AutoScalingGroup, member: GroupMember): void {
  if (member.lifecycle !== 'Terminating:Wait') return;
  member.lifecycle = 'Terminating:Proceed';
  endInstance(world, group, member);
}

function endInstance(world: World, group: AutoScalingGroup, member: GroupMember): void {
  const instance = world.instances.get(member.instanceId);
  if (instance === undefined || instance.state === 'terminated') leave(world, group, member);
  else terminateInstance(world, instance);
}
