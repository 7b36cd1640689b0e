import { createHash } from 'node:crypto';
import { livingMembers, reconcile } from '../autoscaling/groups.ts';
import type { AutoScalingGroup } from '../autoscaling/state.ts';
import { createLaunchTemplate } from '../ec2/launch-template-handlers.ts';
import { randomHex } from '../random.ts';
import { ACCOUNT_ID, notifyChange, type World } from '../world.ts';
import type { Nodegroup, NodegroupIssue } from './state.ts';

/** A node group to be created; everything else is decided here. */
export type NodegroupSpecification = Pick<
  Nodegroup,
  | 'name'
  | 'version'
  | 'releaseVersion'
  | 'clientToken'
  | 'request'
  | 'tags'
  | 'labels'
  | 'taints'
  | 'scaling'
  | 'maxUnavailable'
>;

/** The image of a release: the same release gives the same image. */
function imageOf(releaseVersion: string, amiType: string): string {
  return `ami-${createHash('sha256').update(`${releaseVersion} ${amiType}`).digest('hex').slice(0, 17)}`;
}

/** The image that the customer's launch template names, if any. */
function ownImage(world: World, { request }: NodegroupSpecification): string | undefined {
  const { launchTemplate } = request;
  const template = world.launchTemplates.get(launchTemplate?.id ?? '');
  const version = template?.versions.find(({ number }) => String(number) === launchTemplate?.version);
  return version?.imageId === '' ? undefined : version?.imageId;
}

const uuid = (world: World) => [8, 4, 4, 4, 12].map((digits) => randomHex(world.random, digits)).join('-');

/**
 * Creates a node group: CREATING, after a while its Auto Scaling group launches instances, ACTIVE once all of them serve, CREATE_FAILED if that never
 * happens (EKS user guide, "Create a managed node group" and "Managed node group errors").
 */
export function createNodegroup(world: World, specification: NodegroupSpecification): Nodegroup {
  const nodegroup = addNodegroup(world, specification);
  world.clock.after(world.delays.nodegroupCreateMs, () => {
    if (nodegroup.status === 'CREATING') addAutoScalingGroup(world, nodegroup, false);
  });
  world.clock.after(world.delays.nodegroupCreateTimeoutMs, () => {
    if (nodegroup.status === 'CREATING') failCreation(world, nodegroup);
  });
  return nodegroup;
}

/** A node group that existed before the scenario begins: its instances run at once. */
export function seedNodegroup(world: World, specification: NodegroupSpecification): Nodegroup {
  const nodegroup = addNodegroup(world, specification);
  addAutoScalingGroup(world, nodegroup, true);
  return nodegroup;
}

function addNodegroup(world: World, specification: NodegroupSpecification): Nodegroup {
  const id = uuid(world);
  const nodegroup: Nodegroup = {
    ...specification,
    id,
    arn: `arn:aws:eks:${world.region}:${ACCOUNT_ID}:nodegroup/${world.cluster.name}/${specification.name}/${id}`,
    imageId: ownImage(world, specification) ?? imageOf(specification.releaseVersion, specification.request.amiType),
    createdAt: world.clock.now(),
    modifiedAt: world.clock.now(),
    updates: [],
    issues: [],
    status: 'CREATING',
    autoScalingGroup: undefined,
  };
  world.nodegroups.set(nodegroup.name, nodegroup);
  notifyChange(world);
  return nodegroup;
}

/** Tags that EKS sets on the group and its instances (EKS user guide, "Managed node groups", auto-discovery tags). */
function groupTags(world: World, nodegroup: Nodegroup): AutoScalingGroup['tags'] {
  const cluster = world.cluster.name;
  const tags: [string, string][] = [
    ['eks:cluster-name', cluster],
    ['eks:nodegroup-name', nodegroup.name],
    [`kubernetes.io/cluster/${cluster}`, 'owned'],
    ['k8s.io/cluster-autoscaler/enabled', 'true'],
    [`k8s.io/cluster-autoscaler/${cluster}`, 'owned'],
  ];
  return new Map(tags.map(([key, value]) => [key, { value, propagate: true }]));
}

function addAutoScalingGroup(world: World, nodegroup: Nodegroup, prewarmed: boolean): void {
  const instanceType = nodegroup.request.instanceTypes[0] ?? 't3.medium';
  const template = createLaunchTemplate(world, `eks-${nodegroup.id}`, nodegroup.imageId, instanceType);
  const group: AutoScalingGroup = {
    name: `eks-${nodegroup.name}-${nodegroup.id}`,
    nodegroup: nodegroup.name,
    subnetIds: nodegroup.request.subnets,
    launchTemplateId: template.id,
    createdAt: world.clock.now(),
    tags: groupTags(world, nodegroup),
    members: new Map(),
    suspended: new Map(),
    activities: [],
    ...nodegroup.scaling,
    newInstancesProtected: false,
    terminationHookMs: 0,
    launchesPause: false,
    rebalancing: false,
    prewarmed,
    deleting: false,
  };
  world.autoScalingGroups.set(group.name, group);
  nodegroup.autoScalingGroup = group.name;
  reconcile(world, group);
  group.prewarmed = false;
}

function issueOf(nodegroup: Nodegroup, code: NodegroupIssue['code'], message: string): NodegroupIssue {
  return { code, message, resourceIds: nodegroup.autoScalingGroup === undefined ? [] : [nodegroup.autoScalingGroup] };
}

/** Failed launches since the last successful one, as EKS reports them: AsgInstanceLaunchFailures. */
function launchIssues(nodegroup: Nodegroup, group: AutoScalingGroup): NodegroupIssue[] {
  const [newest] = group.activities.filter(({ description }) => description.startsWith('Launching'));
  if (newest?.status !== 'Failed') return [];
  return [issueOf(nodegroup, 'AsgInstanceLaunchFailures', newest.message ?? '')];
}

/** Instances that run and are nodes. EKS waits for them; Auto Scaling knows nothing about nodes. */
function joinedMembers(world: World, group: AutoScalingGroup): number {
  return livingMembers(group).filter(
    ({ instanceId, lifecycle }) => lifecycle === 'InService' && world.instances.get(instanceId)?.neverJoins === false,
  ).length;
}

/** EKS has sizes of its own, which follow those that others have changed. */
function followSizes({ clock, delays }: World, nodegroup: Nodegroup, group: AutoScalingGroup): void {
  const follow = () => {
    nodegroup.scaling = { min: group.min, max: group.max, desired: group.desired };
  };
  if (delays.nodegroupSizesMs === 0) follow();
  else clock.after(delays.nodegroupSizesMs, follow);
}

/** Follows the Auto Scaling groups: ACTIVE when complete, DEGRADED while launches fail, then ACTIVE again. */
export function followAutoScaling(world: World): void {
  world.groupListeners.push((group) => {
    const nodegroup = world.nodegroups.get(group.nodegroup);
    if (nodegroup === undefined || nodegroup.autoScalingGroup !== group.name) return;
    followSizes(world, nodegroup, group);
    if (nodegroup.status === 'DELETING') return finishDeletion(world, nodegroup, group);
    if (nodegroup.status === 'CREATE_FAILED') return;
    nodegroup.issues = launchIssues(nodegroup, group);
    if (nodegroup.status === 'CREATING') {
      if (joinedMembers(world, group) >= group.desired) nodegroup.status = 'ACTIVE';
    } else if (nodegroup.status !== 'UPDATING') {
      nodegroup.status = nodegroup.issues.length > 0 ? 'DEGRADED' : 'ACTIVE';
    }
  });
}

function failCreation(world: World, nodegroup: Nodegroup): void {
  nodegroup.status = 'CREATE_FAILED';
  if (nodegroup.issues.length === 0) {
    nodegroup.issues = [issueOf(nodegroup, 'NodeCreationFailure', 'Instances failed to join the kubernetes cluster')];
  }
  notifyChange(world);
}

/**
 * Deletes a node group: the sizes of its Auto Scaling group become zero, and once its instances are gone both disappear (EKS user guide, "Delete a
 * managed node group from your cluster"). EKS drains the nodes first, for some minutes at most. Here the instances are terminated at once, regardless
 * of suspended processes and protection, on which AWS documents nothing.
 */
export function deleteNodegroup(world: World, nodegroup: Nodegroup): void {
  if (nodegroup.status === 'DELETING') return;
  nodegroup.status = 'DELETING';
  nodegroup.issues = [];
  const group = world.autoScalingGroups.get(nodegroup.autoScalingGroup ?? '');
  if (group === undefined) {
    world.clock.after(world.delays.nodegroupDeleteMs, () => forget(world, nodegroup));
  } else {
    Object.assign(group, { min: 0, max: 0, desired: 0, deleting: true });
    for (const member of group.members.values()) member.protectedFromScaleIn = false;
    reconcile(world, group);
  }
  notifyChange(world);
}

function finishDeletion(world: World, nodegroup: Nodegroup, group: AutoScalingGroup): void {
  if (!group.deleting || group.members.size > 0) return;
  world.clock.after(world.delays.nodegroupDeleteMs, () => forget(world, nodegroup));
}

function forget(world: World, nodegroup: Nodegroup): void {
  if (world.nodegroups.get(nodegroup.name) === nodegroup) world.nodegroups.delete(nodegroup.name);
  notifyChange(world);
}
