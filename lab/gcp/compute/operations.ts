import { HttpError, noResource } from '../errors.ts';
import { takeOperationFailure } from '../faults.ts';
import { later, notifyChange, randomId, timestamp, type World } from '../world.ts';
import type { ComputeCall, Handler } from './call.ts';
import { pageOf, parseFilter } from './filter.ts';
import { linkTo, readScope } from './links.ts';
import type { ComputeOperation } from './state.ts';

/** Longest wait for an operation (Compute API reference, zoneOperations.wait: "or until the request approaches the 2 minute deadline"). */
const maxWaitMs = 120_000;

/** How an operation fails that was made to: its own call has succeeded (Compute API reference, zoneOperations, `error`). */
const failure = { code: 'INTERNAL_ERROR', message: 'Internal error. Please try again or contact Google Support.' };

/** What an operation is about. */
interface Subject {
  readonly scope: string;
  /** Path of what it changes, below the project. */
  readonly target: string;
  readonly type: string;
}

/**
 * Changes something once for each request ID (Compute API reference, parameter `requestId`: a UUID; the zero UUID is not supported). `apply` returns
 * for how many milliseconds more than others the operation runs; what has effect only when it is done is in `finish`.
 */
export function mutate(
  world: World,
  { query }: ComputeCall,
  subject: Subject,
  apply: () => number,
  finish: () => void = () => {},
) {
  const requestId = query.get('requestId') ?? undefined;
  if (requestId !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId)) {
    throw new HttpError(400, 'invalid', `Invalid value for field 'requestId': '${requestId}'.`);
  }
  const known = requestId === undefined ? undefined : world.requestIds.get(requestId);
  if (known !== undefined) return describeOperation(world, known);
  const more = apply();
  notifyChange(world);
  const operation: ComputeOperation = {
    ...subject,
    name: `operation-${world.clock.now()}-${randomId(world, 12)}`,
    id: randomId(world, 19),
    requestId,
    startedAt: timestamp(world),
    status: 'RUNNING',
    fails: takeOperationFailure(world.faults, subject.type),
    endedAt: undefined,
    waiters: [],
  };
  world.computeOperations.set(operation.name, operation);
  if (requestId !== undefined) world.requestIds.set(requestId, operation);
  later(world, world.delays.computeOperationMs + more, () => {
    if (!operation.fails) finish();
    operation.status = 'DONE';
    operation.endedAt = timestamp(world);
    for (const waiter of operation.waiters) waiter();
  });
  return describeOperation(world, operation);
}

/** Handlers of the operations of all scopes. */
export function operationHandlers(world: World) {
  const get = (call: ComputeCall) => describeOperation(world, requireOperation(world, call));
  const wait = async (call: ComputeCall) => {
    const operation = requireOperation(world, call);
    if (operation.status !== 'DONE') {
      await new Promise<void>((resolve) => {
        operation.waiters.push(resolve);
        later(world, maxWaitMs, resolve);
      });
    }
    return describeOperation(world, operation);
  };
  const list = ({ path, query }: ComputeCall) => {
    const here = [...world.computeOperations.values()].filter(({ scope }) => scope === readScope(path));
    const described = here.map((one) => describeOperation(world, one));
    return pageOf(described.filter(parseFilter(query.get('filter'))), query);
  };
  const apis = ['zoneOperations', 'regionOperations', 'globalOperations'];
  return Object.fromEntries(
    apis.flatMap((api): [string, Handler][] => [
      [`${api}.get`, get],
      [`${api}.list`, list],
      [`${api}.wait`, wait],
    ]),
  );
}

function requireOperation(world: World, { path }: ComputeCall): ComputeOperation {
  const operation = world.computeOperations.get(path['name'] ?? '');
  const scope = readScope(path);
  if (operation?.scope === scope) return operation;
  throw noResource(world.project, `${scope}/operations/${path['name']}`);
}

function describeOperation(world: World, operation: ComputeOperation) {
  const [kind, place] = operation.scope.split('/');
  return {
    kind: 'compute#operation',
    id: operation.id,
    name: operation.name,
    operationType: operation.type,
    status: operation.status,
    progress: operation.status === 'DONE' ? 100 : 0,
    insertTime: operation.startedAt,
    startTime: operation.startedAt,
    ...(operation.status === 'DONE' && operation.fails && { httpErrorStatusCode: 503, error: { errors: [failure] } }),
    ...(operation.endedAt !== undefined && { endTime: operation.endedAt }),
    ...(operation.requestId !== undefined && { clientOperationId: operation.requestId }),
    ...(place !== undefined && { [kind === 'zones' ? 'zone' : 'region']: linkTo(world, operation.scope) }),
    targetLink: linkTo(world, operation.target),
    selfLink: linkTo(world, `${operation.scope}/operations/${operation.name}`),
  };
}
