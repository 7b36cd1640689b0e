import type {
  DescribeUpdateRequest,
  DescribeUpdateResponse,
  ListTagsForResourceRequest,
  ListTagsForResourceResponse,
  ListUpdatesRequest,
  ListUpdatesResponse,
  TagResourceRequest,
  UntagResourceRequest,
  UpdateNodegroupConfigRequest,
  UpdateNodegroupConfigResponse,
} from '@aws-sdk/client-eks';
import { reconcile } from '../autoscaling/groups.ts';
import { pageOf } from '../paging.ts';
import { randomHex } from '../random.ts';
import { notifyChange, type World } from '../world.ts';
import { describeUpdate } from './describe.ts';
import { eksError } from './errors.ts';
import { requireNodegroup } from './handlers.ts';
import { requireScaling } from './specification.ts';
import type { Nodegroup, NodegroupUpdate } from './state.ts';

/** EKS updates and tags. */
export function eksUpdateHandlers(world: World) {
  function requireTagged(arn: string | undefined): Map<string, string> {
    if (arn === world.cluster.arn) return world.cluster.tags;
    const nodegroup = [...world.nodegroups.values()].find((candidate) => candidate.arn === arn);
    if (nodegroup === undefined) throw eksError('NotFoundException', `Resource ${arn} not found`);
    return nodegroup.tags;
  }

  return {
    /** One update of a node group at a time: ResourceInUseException (EKS API reference, UpdateNodegroupConfig). */
    UpdateNodegroupConfig(input: UpdateNodegroupConfigRequest): UpdateNodegroupConfigResponse {
      const nodegroup = requireNodegroup(world, input.clusterName, input.nodegroupName);
      if (nodegroup.status !== 'ACTIVE' && nodegroup.status !== 'DEGRADED') {
        throw eksError('ResourceInUseException', `Nodegroup cannot be updated as it is currently not in Active State`, {
          clusterName: world.cluster.name,
          nodegroupName: nodegroup.name,
        });
      }
      const scaling = requireScaling(input.scalingConfig, nodegroup.scaling);
      const update = startUpdate(world, nodegroup, input);
      applyUpdate(world, nodegroup, input, scaling);
      return { update: describeUpdate(update) };
    },

    DescribeUpdate(input: DescribeUpdateRequest): DescribeUpdateResponse {
      const nodegroup = requireNodegroup(world, input.name, input.nodegroupName);
      const update = nodegroup.updates.find(({ id }) => id === input.updateId);
      if (update === undefined)
        throw eksError('ResourceNotFoundException', `No update found for ID: ${input.updateId}`);
      return { update: describeUpdate(update) };
    },

    ListUpdates(input: ListUpdatesRequest): ListUpdatesResponse {
      const updates =
        input.nodegroupName === undefined ? [] : requireNodegroup(world, input.name, input.nodegroupName).updates;
      const ids = updates.map(({ id }) => id);
      const page = pageOf(ids, input.nextToken, input.maxResults ?? 100, 'InvalidParameterException');
      return { updateIds: [...page.items], nextToken: page.nextToken };
    },

    TagResource(input: TagResourceRequest): object {
      const tags = requireTagged(input.resourceArn);
      for (const [key, value] of Object.entries(input.tags ?? {})) tags.set(key, value);
      notifyChange(world);
      return {};
    },

    UntagResource(input: UntagResourceRequest): object {
      const tags = requireTagged(input.resourceArn);
      for (const key of input.tagKeys ?? []) tags.delete(key);
      notifyChange(world);
      return {};
    },

    ListTagsForResource(input: ListTagsForResourceRequest): ListTagsForResourceResponse {
      return { tags: Object.fromEntries(requireTagged(input.resourceArn)) };
    },
  };
}

function startUpdate(world: World, nodegroup: Nodegroup, input: UpdateNodegroupConfigRequest): NodegroupUpdate {
  const { scalingConfig } = input;
  const sizes = [
    { type: 'MinSize', value: scalingConfig?.minSize },
    { type: 'MaxSize', value: scalingConfig?.maxSize },
    { type: 'DesiredSize', value: scalingConfig?.desiredSize },
  ] as const;
  const update: NodegroupUpdate = {
    id: [8, 4, 4, 4, 12].map((digits) => randomHex(world.random, digits)).join('-'),
    type: 'ConfigUpdate',
    createdAt: world.clock.now(),
    params: sizes.flatMap(({ type, value }) => (value === undefined ? [] : [{ type, value: String(value) }])),
    status: 'InProgress',
  };
  nodegroup.updates.push(update);
  nodegroup.status = 'UPDATING';
  world.clock.after(world.delays.nodegroupUpdateMs, () => {
    update.status = 'Successful';
    if (nodegroup.status === 'UPDATING') nodegroup.status = nodegroup.issues.length > 0 ? 'DEGRADED' : 'ACTIVE';
    notifyChange(world);
  });
  return update;
}

/** Sizes go to the Auto Scaling group; labels and taints apply to instances that are launched from now on. */
function applyUpdate(
  world: World,
  nodegroup: Nodegroup,
  input: UpdateNodegroupConfigRequest,
  scaling: Nodegroup['scaling'],
): void {
  nodegroup.scaling = scaling;
  nodegroup.modifiedAt = world.clock.now();
  for (const key of input.labels?.removeLabels ?? []) nodegroup.labels.delete(key);
  for (const [key, value] of Object.entries(input.labels?.addOrUpdateLabels ?? {})) nodegroup.labels.set(key, value);
  const { addOrUpdateTaints = [], removeTaints = [] } = input.taints ?? {};
  const touched = [...addOrUpdateTaints, ...removeTaints];
  nodegroup.taints = [
    ...nodegroup.taints.filter(
      ({ key, effect }) => !touched.some((taint) => taint.key === key && taint.effect === effect),
    ),
    ...addOrUpdateTaints,
  ];
  const { maxUnavailable, maxUnavailablePercentage } = input.updateConfig ?? {};
  if (maxUnavailable !== undefined) nodegroup.maxUnavailable = { count: maxUnavailable };
  else if (maxUnavailablePercentage !== undefined) nodegroup.maxUnavailable = { percentage: maxUnavailablePercentage };
  const group = world.autoScalingGroups.get(nodegroup.autoScalingGroup ?? '');
  if (group === undefined) return notifyChange(world);
  const { minSize, maxSize, desiredSize } = input.scalingConfig ?? {};
  Object.assign(group, {
    min: minSize ?? group.min,
    max: maxSize ?? group.max,
    desired: desiredSize ?? group.desired,
  });
  reconcile(world, group);
}
