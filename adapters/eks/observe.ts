import {
  type AutoScalingClient,
  type AutoScalingGroup,
  type AutoScalingInstanceDetails,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeScalingActivitiesCommand,
} from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import { DescribeNodegroupCommand, type EKSClient, type Nodegroup } from '@aws-sdk/client-eks';
import { type InstanceFacts, isLive, type PoolFacts, type PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Guarded } from '../../ports/node-pools.ts';
import { readAwsError } from '../aws/errors.ts';
import { callEks, translateEksError } from './errors.ts';
import { mapInstanceState, mapLaunchFailures, mapLifecycle, mapPool, type PoolObservation } from './map.ts';

/** The SDK clients of one region. */
export interface EksClients extends Guarded {
  readonly eks: EKSClient;
  readonly autoScaling: AutoScalingClient;
  /** Never retries a call, for the one call that must not be repeated before its effect has been checked. */
  readonly autoScalingOnce: AutoScalingClient;
  readonly ec2: EC2Client;
}

/** How messages name a pool. */
export function poolSubject(ref: PoolRef): string {
  return `pool ${ref.cluster}/${ref.name}`;
}

/** The node group, or undefined when the cluster has none of that name. @throws NodeferryError PoolNotFound when there is no such cluster */
export async function findNodegroup(clients: EksClients, ref: PoolRef): Promise<Nodegroup | undefined> {
  const command = new DescribeNodegroupCommand({ clusterName: ref.cluster, nodegroupName: ref.name });
  try {
    return (await clients.eks.send(command)).nodegroup;
  } catch (error) {
    const { name, message } = readAwsError(error);
    if (name === 'ResourceNotFoundException' && !/no cluster found/i.test(message)) return undefined;
    throw translateEksError(error, { action: 'eks:DescribeNodegroup', subject: poolSubject(ref) });
  }
}

/** The node group and its Auto Scaling group. */
export async function findPool(clients: EksClients, ref: PoolRef): Promise<PoolObservation | undefined> {
  const nodegroup = await findNodegroup(clients, ref);
  if (nodegroup === undefined) return undefined;
  const name = nodegroup.resources?.autoScalingGroups?.[0]?.name;
  const group = name === undefined ? undefined : await findAutoScalingGroup(clients, ref, name);
  return { ref, nodegroup, group };
}

/** The same for a node group that must exist. @throws NodeferryError PoolNotFound */
export async function requirePool(clients: EksClients, ref: PoolRef): Promise<PoolObservation> {
  const observation = await findPool(clients, ref);
  if (observation !== undefined) return observation;
  throw new NodeferryError({
    code: 'PoolNotFound',
    message: `${poolSubject(ref)} in ${ref.region}: there is no such managed node group`,
    hint: 'Check the cluster name, the node group name and the region of the policy.',
  });
}

async function findAutoScalingGroup(
  { autoScaling }: EksClients,
  ref: PoolRef,
  name: string,
): Promise<AutoScalingGroup | undefined> {
  const answer = await callEks('autoscaling:DescribeAutoScalingGroups', poolSubject(ref), () =>
    autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] })),
  );
  return answer.AutoScalingGroups?.[0];
}

/** Facts of a pool. When instances are missing, Auto Scaling is asked for the reason. */
export async function poolFacts(clients: EksClients, observation: PoolObservation): Promise<PoolFacts> {
  const facts = mapPool(observation, []);
  const here = facts.instances.filter(isLive).length;
  if (observation.group === undefined || here >= facts.desiredSize) return facts;
  const name = observation.group.AutoScalingGroupName;
  const { Activities = [] } = await callEks('autoscaling:DescribeScalingActivities', poolSubject(observation.ref), () =>
    clients.autoScaling.send(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: name, MaxRecords: 20 })),
  );
  return mapPool(observation, mapLaunchFailures(Activities));
}

/** The instance as Auto Scaling knows it, in whichever group; undefined when it is in none. */
export async function findMember(
  { autoScaling }: EksClients,
  ref: PoolRef,
  instanceId: string,
): Promise<AutoScalingInstanceDetails | undefined> {
  const answer = await callEks(
    'autoscaling:DescribeAutoScalingInstances',
    `${poolSubject(ref)}: instance ${instanceId}`,
    () => autoScaling.send(new DescribeAutoScalingInstancesCommand({ InstanceIds: [instanceId] })),
  );
  return answer.AutoScalingInstances?.find(({ InstanceId }) => InstanceId === instanceId);
}

/**
 * State of an instance: what EC2 says, unless a group is terminating it. A lifecycle hook keeps such an instance `running` for a while, and nothing
 * brings it back (Auto Scaling user guide, "Instance lifecycle"). EKS gives every managed node group such a hook, for the time in which it drains a node.
 */
export async function observeInstance(
  clients: EksClients,
  ref: PoolRef,
  instanceId: string,
): Promise<InstanceFacts['state']> {
  const state = await instanceState(clients, ref, instanceId);
  if (state !== 'running' && state !== 'pending') return state;
  const inGroup = mapLifecycle((await findMember(clients, ref, instanceId))?.LifecycleState);
  return inGroup === 'terminating' || inGroup === 'terminated' ? 'terminating' : state;
}

/**
 * State of an instance according to EC2. An id that EC2 no longer knows is `terminated` (EC2 forgets an instance about an hour after termination).
 */
export async function instanceState(
  { ec2 }: EksClients,
  ref: PoolRef,
  instanceId: string,
): Promise<InstanceFacts['state']> {
  const command = new DescribeInstancesCommand({ InstanceIds: [instanceId] });
  try {
    const { Reservations = [] } = await ec2.send(command);
    const found = Reservations.flatMap(({ Instances = [] }) => Instances).find(
      ({ InstanceId }) => InstanceId === instanceId,
    );
    return found === undefined ? 'terminated' : mapInstanceState(found.State?.Name);
  } catch (error) {
    if (readAwsError(error).name === 'InvalidInstanceID.NotFound') return 'terminated';
    const subject = `${poolSubject(ref)}: instance ${instanceId}`;
    throw translateEksError(error, { action: 'ec2:DescribeInstances', subject });
  }
}
