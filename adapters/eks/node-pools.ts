import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { EC2Client } from '@aws-sdk/client-ec2';
import { CreateNodegroupCommand, EKSClient, type Nodegroup } from '@aws-sdk/client-eks';
import type { PoolFacts, PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Guarded, ManagedNodePools } from '../../ports/node-pools.ts';
import { type AwsClientOptions, awsClientConfig } from '../aws/client-config.ts';
import { type CloneRequest, cloneNodegroup, createdByTag } from './clone.ts';
import { deletePool, listReplacements } from './delete.ts';
import { callEks, isCapacityProblem } from './errors.ts';
import { mapInstances, mapIssues } from './map.ts';
import { requireMayLaunch } from './may-launch.ts';
import {
  type EksClients,
  findNodegroup,
  findPool,
  observeInstance,
  poolFacts,
  poolSubject,
  requirePool,
} from './observe.ts';
import { restoreSize } from './restore-size.ts';
import { resize, type UpdateTiming } from './sizes.ts';
import { findSubnets } from './subnets.ts';
import { restoreScaling, suspendScaling, trimPool } from './suspend.ts';
import { terminateMember } from './terminate.ts';

/** How the EKS adapter works. Credentials and endpoint come from the SDK's own provider chain, e.g. `AWS_ENDPOINT_URL`. */
interface EksOptions extends AwsClientOptions {
  readonly clock: Clock;
  /** Time between two polls while EKS changes the sizes of a node group, ms. Default 1,000. */
  readonly pollIntervalMs?: number;
  /** Longest wait for EKS to change the sizes of a node group, ms. Default 120,000. */
  readonly updateTimeoutMs?: number;
}

/**
 * Node pools as EKS managed node groups. The settings that suspending the scaling of a pool changes (suspended processes, `min-size:N`) are returned
 * to the caller, which keeps them for the rollback. They are also kept in the tag `nodeferry.dev/suspended` of the node group. Restoring uses both,
 * so that nothing is lost when a response is lost.
 */
export function createEksNodePools(options: EksOptions): ManagedNodePools {
  const clientsFor = clientsByRegion(options);
  const guarded = (region: string, { beforeChange }: Guarded = {}): EksClients => ({
    ...clientsFor(region),
    ...(beforeChange && { beforeChange }),
  });
  const timing: UpdateTiming = {
    clock: options.clock,
    pollIntervalMs: options.pollIntervalMs ?? 1_000,
    updateTimeoutMs: options.updateTimeoutMs ?? 120_000,
  };

  return {
    async describePool(ref) {
      const clients = clientsFor(ref.region);
      return poolFacts(clients, await requirePool(clients, ref));
    },
    async findPool(ref) {
      const clients = clientsFor(ref.region);
      const observation = await findPool(clients, ref);
      return observation && poolFacts(clients, observation);
    },
    async observeInstances(ref) {
      return mapInstances((await requirePool(clientsFor(ref.region), ref)).group);
    },
    observeInstance: (ref, instanceId) => observeInstance(clientsFor(ref.region), ref, instanceId),
    terminateInstance: (ref, instanceId) => terminateMember(clientsFor(ref.region), ref, instanceId, timing),
    findSubnets: (ref) => findSubnets(clientsFor(ref.region), ref),
    replacement: {
      findReplacements: (ref) => findReplacements(clientsFor(ref.region), ref),
      createPool: ({ source, ...request }) => createPool(guarded(source.region, request), source, request),
      requireMayCreate: ({ source, target }) => requireMayLaunch(clientsFor(source.region), source, target),
      resize: (ref, request) => resize(guarded(ref.region, request), ref, request, timing),
      deletePool: (ref, { onlyIfCreatedBy, ...guard }) =>
        deletePool(guarded(ref.region, guard), ref, onlyIfCreatedBy, timing),
    },
    size: {
      restoreSize: (ref, request) => restoreSize(guarded(ref.region, request), ref, request.size, timing),
      trimPool: (ref) => trimPool(clientsFor(ref.region), ref, timing),
    },
    scaling: {
      suspend: (ref, options) => suspendScaling(guarded(ref.region, options), ref, timing),
      restore: (ref, token) => restoreScaling(clientsFor(ref.region), ref, token, timing),
    },
  };
}

function clientsByRegion(options: AwsClientOptions): (region: string) => EksClients {
  const known = new Map<string, EksClients>();
  return (region) => {
    const clients = known.get(region) ?? createClients(region, options);
    known.set(region, clients);
    return clients;
  };
}

function createClients(region: string, options: AwsClientOptions): EksClients {
  const config = awsClientConfig(region, options);
  return {
    eks: new EKSClient(config),
    autoScaling: new AutoScalingClient(config),
    autoScalingOnce: new AutoScalingClient(awsClientConfig(region, { ...options, maxAttempts: 1 })),
    ec2: new EC2Client(config),
  };
}

async function findReplacements(clients: EksClients, ref: PoolRef): Promise<readonly PoolFacts[]> {
  const found: PoolFacts[] = [];
  for (const observation of await listReplacements(clients, ref)) found.push(await poolFacts(clients, observation));
  return found;
}

async function createPool(clients: EksClients, source: PoolRef, request: CloneRequest): Promise<void> {
  const wanted: PoolRef = { ...source, name: request.target.poolName };
  const existing = await findNodegroup(clients, wanted);
  if (existing !== undefined) return acceptExisting(wanted, existing, request.run);
  const { nodegroup } = await requirePool(clients, source);
  const input = cloneNodegroup(source.cluster, nodegroup, request);
  await clients.beforeChange?.();
  await callEks('eks:CreateNodegroup', poolSubject(wanted), () => clients.eks.send(new CreateNodegroupCommand(input)));
}

/** Accepts an existing node group if this run created it and it can still become complete. */
function acceptExisting(wanted: PoolRef, existing: Nodegroup, run: string): void {
  const creator = existing.tags?.[createdByTag];
  if (creator !== run) {
    const whose = creator === undefined ? 'was not created by nodeferry' : `was created by run ${creator}`;
    throw new NodeferryError({
      code: 'ProviderRefused',
      message: `${poolSubject(wanted)} exists already and ${whose}`,
      hint: 'Choose another target.poolName in the policy, or delete that node group if it is not needed.',
    });
  }
  const { status } = existing;
  if (status !== 'CREATE_FAILED' && status !== 'DELETING' && status !== 'DELETE_FAILED') return;
  const problems = mapIssues(existing);
  throw new NodeferryError({
    code: problems.some(isCapacityProblem) ? 'CapacityUnavailable' : 'ProviderRefused',
    message: `${poolSubject(wanted)} is ${status}: ${problems.join('; ') || 'EKS gives no reason'}`,
    hint: 'A node group in this state never gets its instances: abort the run, or delete the node group and resume.',
  });
}
