import { DeleteNodegroupCommand, ListNodegroupsCommand } from '@aws-sdk/client-eks';
import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { requireNoInstances } from '../calls/pool-refusals.ts';
import { replacesTag } from './clone.ts';
import { callEks } from './errors.ts';
import type { PoolObservation } from './map.ts';
import { type EksClients, findPool, poolSubject } from './observe.ts';
import { ownersMinSize } from './settings-tag.ts';
import { liveInstances, requireCreator, type UpdateTiming } from './sizes.ts';
import { restoreScaling } from './suspend.ts';

/**
 * EKS deletes a node group with all its instances (EKS user guide, "Delete a managed node group from your cluster"). A pool that still has instances is
 * therefore not deleted. The pools that replace one are in use once it is to be deleted, also when somebody else has done that. To let them shrink takes
 * minutes, in which an autoscaler may have raised the pool, so it is read once more after that.
 */
export async function deletePool(
  clients: EksClients,
  ref: PoolRef,
  onlyIfCreatedBy: string | undefined,
  timing: UpdateTiming,
): Promise<void> {
  const observation = await findPool(clients, ref);
  if (observation?.nodegroup.status === 'DELETING') return;
  if (observation !== undefined) requireDeletable(observation, onlyIfCreatedBy);
  if (onlyIfCreatedBy === undefined) await endReplacement(clients, ref, timing);
  const left = observation && (await findPool(clients, ref));
  if (left === undefined || left.nodegroup.status === 'DELETING') return;
  requireDeletable(left, onlyIfCreatedBy);
  await requestDeletion(clients, ref);
}

function requireDeletable(observation: PoolObservation, onlyIfCreatedBy: string | undefined): void {
  if (onlyIfCreatedBy === undefined) requireNoInstances(poolSubject(observation.ref), liveInstances(observation.group));
  else requireCreator(observation, onlyIfCreatedBy, 'is not deleted');
}

/** The pools that replace this one may shrink again as their owner chose. */
async function endReplacement(clients: EksClients, ref: PoolRef, timing: UpdateTiming): Promise<void> {
  for (const made of await listReplacements(clients, ref))
    if (ownersMinSize(made.nodegroup) !== undefined) await restoreScaling(clients, made.ref, undefined, timing);
}

/** Pools that runs have created to replace this one. */
export async function listReplacements(clients: EksClients, ref: PoolRef): Promise<readonly PoolObservation[]> {
  const found: PoolObservation[] = [];
  for (const name of await listNodegroups(clients, ref)) {
    const observation = await findPool(clients, { ...ref, name });
    if (observation?.nodegroup.tags?.[replacesTag] === ref.name) found.push(observation);
  }
  return found;
}

async function listNodegroups({ eks }: EksClients, ref: PoolRef): Promise<readonly string[]> {
  const names: string[] = [];
  let nextToken: string | undefined;
  do {
    const command = new ListNodegroupsCommand({ clusterName: ref.cluster, ...(nextToken && { nextToken }) });
    const page = await callEks('eks:ListNodegroups', `cluster ${ref.cluster}`, () => eks.send(command));
    names.push(...(page.nodegroups ?? []));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return names;
}

async function requestDeletion({ eks, beforeChange }: EksClients, ref: PoolRef): Promise<void> {
  await beforeChange?.();
  try {
    await callEks('eks:DeleteNodegroup', poolSubject(ref), () =>
      eks.send(new DeleteNodegroupCommand({ clusterName: ref.cluster, nodegroupName: ref.name })),
    );
  } catch (error) {
    if (!(error instanceof NodeferryError && error.problem.code === 'PoolNotFound')) throw error;
  }
}
