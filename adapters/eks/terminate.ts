import {
  type AutoScalingInstanceDetails,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import type { PoolRef } from '../../core/model/pool.ts';
import { isRetryable, NodeferryError } from '../../core/model/problem.ts';
import type { TerminationOutcome } from '../../ports/node-pools.ts';
import { readAwsError } from '../aws/errors.ts';
import { createdByTag } from './clone.ts';
import { callEks } from './errors.ts';
import { mapLifecycle, type PoolObservation } from './map.ts';
import { type EksClients, findMember, instanceState, poolSubject, requirePool } from './observe.ts';
import { ownersMinSize } from './settings-tag.ts';
import { setMinSize, type UpdateTiming } from './sizes.ts';

const maxAttempts = 5;
const firstPauseMs = 500;

/**
 * Terminates one instance through its Auto Scaling group and lowers the group's desired capacity by one. The API has no idempotency token, so every
 * attempt checks the instance first, and the SDK never retries the call: an attempt whose response was lost must not lower the capacity twice.
 * @throws NodeferryError NotOwned for an instance of another group or of none; ProviderRefused at the minimum size of a pool whose scaling is not
 * suspended and that no run created
 */
export async function terminateMember(
  clients: EksClients,
  ref: PoolRef,
  instanceId: string,
  patience: UpdateTiming,
): Promise<TerminationOutcome> {
  let asked = false;
  for (let attempt = 1; ; attempt += 1) {
    const observation = await findPoolOf(clients, ref, instanceId);
    if (observation === undefined) return { outcome: asked ? 'terminating' : 'already' };
    await lowerMinSize(clients, observation, patience);
    try {
      asked = true;
      await requestTermination(clients, ref, instanceId);
      return { outcome: 'terminating' };
    } catch (error) {
      if (attempt === maxAttempts || !(isRetryable(error) || isGoneFromGroup(error))) throw error;
      const said = error instanceof NodeferryError ? error.retryAfterMs : undefined;
      await patience.clock.sleep(said ?? firstPauseMs * 2 ** (attempt - 1));
    }
  }
}

/** The pool, after checking that the instance is a live member of it; undefined when the instance is terminating or gone. */
async function findPoolOf(clients: EksClients, ref: PoolRef, instanceId: string): Promise<PoolObservation | undefined> {
  const member = await findMember(clients, ref, instanceId);
  if (member === undefined) {
    const state = await instanceState(clients, ref, instanceId);
    if (state === 'terminating' || state === 'terminated') return undefined;
    throw notOurs(ref, instanceId, 'it runs, but belongs to no Auto Scaling group');
  }
  const observation = await requirePool(clients, ref);
  requireMembership(observation, member, instanceId);
  const state = mapLifecycle(member.LifecycleState);
  return state === 'terminating' || state === 'terminated' ? undefined : observation;
}

function requireMembership(
  { ref, group }: PoolObservation,
  member: AutoScalingInstanceDetails,
  instanceId: string,
): void {
  if (group !== undefined && member.AutoScalingGroupName === group.AutoScalingGroupName) return;
  const own = group?.AutoScalingGroupName ?? 'none yet';
  throw notOurs(
    ref,
    instanceId,
    `it belongs to Auto Scaling group ${member.AutoScalingGroupName}, the pool's is ${own}`,
  );
}

function notOurs(ref: PoolRef, instanceId: string, why: string): NodeferryError {
  return new NodeferryError({
    code: 'NotOwned',
    message: `${poolSubject(ref)}: instance ${instanceId} is not terminated: ${why}`,
    hint: 'Somebody moved the instance after the plan was made. Check it, then plan again.',
  });
}

/**
 * Auto Scaling refuses to go below the minimum size. The minimum of a pool that a run created shrinks with it; one that is raised for the time being is the
 * owner's again at once. Any other pool must have its scaling suspended first, so that the change is recorded for the rollback.
 */
async function lowerMinSize(
  clients: EksClients,
  { ref, nodegroup, group }: PoolObservation,
  patience: UpdateTiming,
): Promise<void> {
  const desired = group?.DesiredCapacity ?? 0;
  const minimum = group?.MinSize ?? 0;
  if (desired > minimum) return;
  if (nodegroup.tags?.[createdByTag] !== undefined) {
    const least = Math.min(ownersMinSize(nodegroup) ?? minimum, desired - 1);
    return setMinSize(clients, ref, Math.max(least, 0), patience);
  }
  throw new NodeferryError({
    code: 'ProviderRefused',
    message: `${poolSubject(ref)} has its minimum of ${minimum} instances, so none can be terminated`,
    hint: 'Suspend scaling first: that lowers the minimum size, and restoring scaling restores it.',
  });
}

async function requestTermination({ autoScalingOnce }: EksClients, ref: PoolRef, instanceId: string): Promise<void> {
  await callEks('autoscaling:TerminateInstanceInAutoScalingGroup', `${poolSubject(ref)}: instance ${instanceId}`, () =>
    autoScalingOnce.send(
      new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: instanceId, ShouldDecrementDesiredCapacity: true }),
    ),
  );
}

/** The instance left its group between our check and our call; the next attempt finds out where it went. */
function isGoneFromGroup(error: unknown): boolean {
  const { name, message } = readAwsError(error instanceof NodeferryError ? error.cause : error);
  return name === 'ValidationError' && /no managed instance found/i.test(message);
}
