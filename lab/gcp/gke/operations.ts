import { randomHex } from '../../aws/random.ts';
import { RpcError } from '../errors.ts';
import { later, timestamp, type World } from '../world.ts';
import type { Cluster, GkeOperation } from './state.ts';

/** What an operation does, and on what. */
interface Work {
  /** google.container.v1.Operation.Type. */
  readonly type: string;
  /** Node pool that it changes; left out for the whole cluster. */
  readonly pool?: string;
  /** Begins the work; `done` ends the operation, with an error if it failed. */
  readonly run: (done: (error?: GkeOperation['error']) => void) => void;
}

/** An operation that runs and does not allow another one on this pool, or on the whole cluster, beside it. */
function findRunning(world: World, cluster: Cluster, pool: string | undefined): GkeOperation | undefined {
  return [...world.gkeOperations.values()].find(
    (one) =>
      one.cluster === cluster.name &&
      one.status !== 'DONE' &&
      (one.pool === undefined || pool === undefined || one.pool === pool),
  );
}

/**
 * Starts an operation. At a time there is one of the cluster, or one of each node pool (GKE documentation, "Troubleshoot concurrent operations"; so does
 * Terraform's provider lock since GoogleCloudPlatform/magic-modules pull request 6748). @throws RpcError FAILED_PRECONDITION while another one runs that
 * does not allow it
 */
export function startOperation(world: World, cluster: Cluster, work: Work): GkeOperation {
  const running = findRunning(world, cluster, work.pool);
  if (running !== undefined) throw conflict(world, cluster, running);
  const hex = (digits: number) => randomHex(world.random, digits);
  const operation: GkeOperation = {
    name: `operation-${world.clock.now()}-${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    type: work.type,
    cluster: cluster.name,
    location: cluster.location,
    pool: work.pool,
    startedAt: timestamp(world),
    status: 'PENDING',
    endedAt: undefined,
    error: undefined,
  };
  world.gkeOperations.set(operation.name, operation);
  later(world, world.delays.operationStartMs, () => {
    operation.status = 'RUNNING';
    work.run((error) => {
      if (operation.status === 'DONE') return;
      operation.status = 'DONE';
      operation.endedAt = timestamp(world);
      operation.error = error;
    });
  });
  return operation;
}

/**
 * The present form: kubernetes-sigs/cluster-api-provider-gcp issue 1363 and Google's page "Concurrent operations". The earlier
 * ones: hashicorp/terraform-provider-google issue 3650, and the same page.
 */
function conflict({ faults }: World, cluster: Cluster, running: GkeOperation): RpcError {
  if (faults.conflictTexts === 'nameless') {
    const said = 'Cluster is currently being created, deleted, updated or repaired and cannot be updated.';
    return new RpcError('FAILED_PRECONDITION', said);
  }
  if (faults.conflictTexts === 'earlier') {
    const doing = { CREATE_NODE_POOL: 'creating a node pool for', DELETE_NODE_POOL: 'deleting a node pool from' };
    const said = doing[running.type as keyof typeof doing] ?? 'operating on';
    return new RpcError(
      'FAILED_PRECONDITION',
      `Operation ${running.name} is currently ${said} cluster ${cluster.name}. Please wait and try again once it is done.`,
    );
  }
  return new RpcError('FAILED_PRECONDITION', `Cluster is running incompatible operation ${running.name}.`, [
    ['google.rpc.ErrorInfo', { reason: 'CLUSTER_ALREADY_HAS_OPERATION', domain: 'container.googleapis.com' }],
    ['google.rpc.RequestInfo', { requestId: '0xe7ae075979bd6d29' }],
  ]);
}

/** The operation as the API returns it. */
export function describeOperation(world: World, operation: GkeOperation) {
  const parent = `projects/${world.project}/locations/${operation.location}`;
  const base = 'https://container.googleapis.com/v1';
  const cluster = `${parent}/clusters/${operation.cluster}`;
  return {
    name: operation.name,
    operationType: operation.type,
    status: operation.status,
    location: operation.location,
    selfLink: `${base}/${parent}/operations/${operation.name}`,
    targetLink: `${base}/${operation.pool === undefined ? cluster : `${cluster}/nodePools/${operation.pool}`}`,
    startTime: operation.startedAt,
    ...(operation.endedAt !== undefined && { endTime: operation.endedAt }),
    ...(operation.error !== undefined && { error: operation.error, statusMessage: operation.error.message }),
  };
}
