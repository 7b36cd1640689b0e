import { type AutoScalingGroup, UpdateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { type NodegroupScalingConfig, UpdateNodegroupConfigCommand } from '@aws-sdk/client-eks';
import { type InstanceFacts, isLive, type PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Clock } from '../../ports/clock.ts';
import { notCreatedBy } from '../calls/pool-refusals.ts';
import { createdByTag, replacesTag } from './clone.ts';
import { callEks } from './errors.ts';
import { mapInstances, type PoolObservation } from './map.ts';
import { type EksClients, findNodegroup, poolSubject, requirePool } from './observe.ts';
import { originalMinSize, ownersMinSize } from './settings-tag.ts';

/** Clock and timing for waiting until EKS has changed the sizes. */
export interface UpdateTiming {
  readonly clock: Clock;
  /** Time between two polls, ms. */
  readonly pollIntervalMs: number;
  /** Longest wait for one change of a node group's sizes, ms. */
  readonly updateTimeoutMs: number;
}

/** Sizes that a node group should have; sizes left out stay as they are. */
interface Sizes {
  readonly min?: number;
  readonly max?: number;
  readonly desired?: number;
}

/** Instances that exist or are being launched. */
export function liveInstances(group: AutoScalingGroup | undefined): readonly InstanceFacts[] {
  return mapInstances(group).filter(isLive);
}

/** Changes the minimum size of a node group, as `setSizes` does. */
export async function setMinSize(
  clients: EksClients,
  ref: PoolRef,
  size: number,
  patience: UpdateTiming,
): Promise<void> {
  await setSizes(clients, ref, () => ({ min: size }), patience);
}

/** @throws NodeferryError NotOwned for a pool that another run created; `refused` says what is not done to it */
export function requireCreator({ ref, nodegroup }: PoolObservation, run: string, refused: string): void {
  const creator = nodegroup.tags?.[createdByTag];
  if (creator !== run)
    throw notCreatedBy(run, { subject: poolSubject(ref), refused, mark: `tag ${createdByTag}`, creator });
}

/**
 * Grows a pool that this run created to the given number of instances. Its minimum size grows with it, as long as the owner's is recorded: until the pods
 * have moved, the cluster autoscaler would remove the new nodes as unneeded. That of a pool that an earlier version created grows up to the owner's of
 * its source. @throws NodeferryError NotOwned for a pool that another run created
 */
export async function resize(
  clients: EksClients,
  ref: PoolRef,
  { size, run }: { readonly size: number; readonly run: string },
  patience: UpdateTiming,
): Promise<void> {
  const observation = await requirePool(clients, ref);
  requireCreator(observation, run, 'does not grow');
  const isRecorded = ownersMinSize(observation.nodegroup) !== undefined;
  const owners = isRecorded ? 0 : await minSizeOfSource(clients, observation);
  const wanted = ({ MinSize = 0, MaxSize = 0, DesiredCapacity = 0 }: AutoScalingGroup): Sizes => {
    const desired = Math.max(DesiredCapacity, size);
    const min = isRecorded ? desired : Math.max(MinSize, Math.min(owners, size));
    return { desired, max: Math.max(MaxSize, size), min };
  };
  await setSizes(clients, ref, wanted, patience);
}

/** The minimum size that its owner chose for the pool that this one replaces. */
async function minSizeOfSource(clients: EksClients, { ref, nodegroup }: PoolObservation): Promise<number> {
  const name = nodegroup.tags?.[replacesTag];
  const source = name === undefined ? undefined : await findNodegroup(clients, { ...ref, name });
  return source === undefined ? 0 : originalMinSize(source);
}

/**
 * Changes the sizes of a node group and waits until Auto Scaling has them and EKS has finished. Until then EKS accepts no other change. @throws
 * NodeferryError ProviderUnavailable when that takes longer than `updateTimeoutMs`
 */
export async function setSizes(
  clients: EksClients,
  ref: PoolRef,
  wanted: (group: AutoScalingGroup) => Sizes,
  patience: UpdateTiming,
): Promise<void> {
  const deadline = patience.clock.now() + patience.updateTimeoutMs;
  let asked = false;
  for (;;) {
    const observation = await requirePool(clients, ref);
    const { nodegroup, group } = observation;
    const busy = nodegroup.status === 'UPDATING';
    const missing = group === undefined ? {} : missingSizes(group, wanted(group));
    if (!busy && group !== undefined && Object.keys(missing).length === 0) return;
    if (!busy && !asked) {
      await updateSizes(clients, observation, missing);
      asked = true;
    } else if (patience.clock.now() >= deadline) throw tooLate(observation, missing);
    await patience.clock.sleep(patience.pollIntervalMs);
  }
}

/** The sizes that the group does not have yet. */
function missingSizes({ MinSize, MaxSize, DesiredCapacity }: AutoScalingGroup, wanted: Sizes): NodegroupScalingConfig {
  const { min, max, desired } = wanted;
  return {
    ...(min !== undefined && min !== MinSize && { minSize: min }),
    ...(max !== undefined && max !== MaxSize && { maxSize: max }),
    ...(desired !== undefined && desired !== DesiredCapacity && { desiredSize: desired }),
  };
}

function tooLate({ ref, nodegroup, group }: PoolObservation, missing: NodegroupScalingConfig): NodeferryError {
  const has = { minSize: group?.MinSize, maxSize: group?.MaxSize, desiredSize: group?.DesiredCapacity };
  const sizes = Object.entries(missing).map(
    ([name, size]) => `${name} is ${has[name as keyof typeof has]}, should be ${size}`,
  );
  return new NodeferryError({
    code: 'ProviderUnavailable',
    message: `${poolSubject(ref)}: ${[...sizes, `the node group is ${nodegroup.status}`].join('; ')}`,
    hint: 'See the update history of the node group in EKS; another update may be stuck.',
  });
}

/**
 * Sends only the sizes that change; the others stay as they are. EKS accepts changes only of a node group that is ACTIVE or DEGRADED (EKS API
 * reference, UpdateNodegroupConfig). For one that never became complete, the Auto Scaling group is changed directly.
 */
async function updateSizes(
  { eks, autoScaling, beforeChange }: EksClients,
  { ref, nodegroup, group }: PoolObservation,
  sizes: NodegroupScalingConfig,
): Promise<void> {
  await beforeChange?.();
  const subject = `${poolSubject(ref)}: ${Object.entries(sizes)
    .map(([name, size]) => `${name} ${size}`)
    .join(', ')}`;
  if (nodegroup.status === 'ACTIVE' || nodegroup.status === 'DEGRADED') {
    const scalingConfig = withDesiredSize(sizes, { nodegroup, group });
    const command = { clusterName: ref.cluster, nodegroupName: ref.name, scalingConfig };
    await callEks('eks:UpdateNodegroupConfig', subject, () => eks.send(new UpdateNodegroupConfigCommand(command)));
  } else if (group !== undefined) {
    const command = {
      AutoScalingGroupName: group.AutoScalingGroupName,
      MinSize: sizes.minSize,
      MaxSize: sizes.maxSize,
      DesiredCapacity: sizes.desiredSize,
    };
    await callEks('autoscaling:UpdateAutoScalingGroup', subject, () =>
      autoScaling.send(new UpdateAutoScalingGroupCommand(command)),
    );
  }
}

/**
 * EKS refuses a minimum above its own desired size ("Minimum capacity 4 can't be greater than desired size 2", terraform-aws-eks issue 835), which is the one
 * that it was last told where an autoscaler has changed that of the Auto Scaling group. Such a minimum goes along with the group's. Any other does
 * not: the autoscaler may be changing the group, and one that shrinks terminates instances.
 */
function withDesiredSize(
  sizes: NodegroupScalingConfig,
  { nodegroup, group }: Pick<PoolObservation, 'nodegroup' | 'group'>,
): NodegroupScalingConfig {
  const { minSize = 0, desiredSize = group?.DesiredCapacity } = sizes;
  const own = nodegroup.scalingConfig?.desiredSize ?? 0;
  return minSize > own && desiredSize !== undefined ? { ...sizes, desiredSize } : sizes;
}
