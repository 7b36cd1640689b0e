import { HttpError, RpcError } from './errors.ts';
import { permissionOf } from './permissions.ts';

/** Which calls a fault affects: all of them, those of a service, or one method. */
interface CallMatch {
  readonly service?: 'gke' | 'compute';
  /** E.g. `DeleteNodePool` or `instanceGroupManagers.deleteInstances`. */
  readonly method?: string;
}

/**
 * `unavailable`: the service answers 503. `internal`: 500. `rate-limit`: 403 rateLimitExceeded of Compute Engine, RESOURCE_EXHAUSTED of GKE.
 * `too-many`: 429. `forbidden`: IAM does not allow the call. `lost`: the call takes effect, and its answer never arrives.
 */
type FaultKind = 'unavailable' | 'internal' | 'rate-limit' | 'too-many' | 'forbidden' | 'lost';

interface CallFault {
  readonly match: CallMatch;
  readonly kind: FaultKind;
  left: number;
}

/** The faults in force. */
export interface FaultState {
  calls: CallFault[];
  /** What happens just before the next call of a method, by the method. */
  before: Map<string, () => void>;
  /** Zones without resources; `all` for every zone. */
  stockedOut: Set<string>;
  /** Scopes that Compute Engine can't reach: `zones/Z`, `regions/R` or `global`. */
  unreachable: Set<string>;
  /** Types of operations of which the next fails. */
  failingOperations: string[];
  /** CPUs that the region's quota still allows; undefined without limit. */
  quota: number | undefined;
  /** How GKE words a conflict of operations: as today, as it did earlier, or as it did without naming the operation. */
  conflictTexts: 'present' | 'earlier' | 'nameless';
}

/** Injected faults. */
export interface Faults {
  /** The next `times` calls (default 1) fail in that way. */
  fail(kind: FaultKind, match?: CallMatch, times?: number): void;
  /** Something happens just before the next call of that method, e.g. after what it depends on was read. */
  precede(method: string, act: () => void): void;
  /** No VM can be created in the zone; without one, in any. */
  stockOut(zone?: string): void;
  /** Compute Engine reaches nothing in a scope (`zones/Z`, `regions/R` or `global`), also in one of another region. */
  cutOff(scope: string): void;
  /** The next operation of that type is accepted, and fails without an effect. */
  failOperation(type: string): void;
  /** Further node pools may have this many CPUs altogether. */
  limitCpus(cpus: number): void;
  useEarlierConflictTexts(): void;
  useNamelessConflicts(): void;
  clear(): void;
}

/** A state without faults. */
export function noFaults(): FaultState {
  return {
    calls: [],
    before: new Map(),
    stockedOut: new Set(),
    unreachable: new Set(),
    failingOperations: [],
    quota: undefined,
    conflictTexts: 'present',
  };
}

/** The controls of a fault state. */
export function faultControls(state: FaultState): Faults {
  return {
    fail: (kind, match = {}, times = 1) => void state.calls.push({ kind, match, left: times }),
    precede: (method, act) => void state.before.set(method, act),
    stockOut: (zone = 'all') => void state.stockedOut.add(zone),
    cutOff: (scope) => void state.unreachable.add(scope),
    failOperation: (type) => void state.failingOperations.push(type),
    limitCpus: (cpus) => {
      state.quota = cpus;
    },
    useEarlierConflictTexts: () => {
      state.conflictTexts = 'earlier';
    },
    useNamelessConflicts: () => {
      state.conflictTexts = 'nameless';
    },
    clear: () => void Object.assign(state, noFaults()),
  };
}

/** Takes the next fault for a call, if there is one. */
export function takeFault(state: FaultState, service: 'gke' | 'compute', method: string): FaultKind | undefined {
  const fault = state.calls.find(
    ({ match, left }) => left > 0 && (match.service ?? service) === service && (match.method ?? method) === method,
  );
  if (fault === undefined) return undefined;
  fault.left -= 1;
  return fault.kind;
}

/** Whether an operation of that type fails; the next one does not. */
export function takeOperationFailure({ failingOperations }: FaultState, type: string): boolean {
  const at = failingOperations.indexOf(type);
  if (at >= 0) failingOperations.splice(at, 1);
  return at >= 0;
}

/** Lets happen what is to happen just before this call. */
export function actBefore({ before }: FaultState, method: string): void {
  const act = before.get(method);
  before.delete(method);
  act?.();
}

export function isStockedOut({ stockedOut }: FaultState, zone: string): boolean {
  return stockedOut.has(zone) || stockedOut.has('all');
}

/** The fault as GKE tells it (google/rpc/code.proto; a missing permission is worded as in rancher/gke-operator issue 509). */
export function rpcFault(kind: Exclude<FaultKind, 'lost'>, method: string): RpcError {
  switch (kind) {
    case 'unavailable':
      return new RpcError('UNAVAILABLE', 'The service is currently unavailable.');
    case 'internal':
      return new RpcError('INTERNAL', 'Internal error encountered.');
    case 'rate-limit':
    case 'too-many':
      return new RpcError(
        'RESOURCE_EXHAUSTED',
        "Quota exceeded for quota metric 'Requests' of service 'container.googleapis.com'.",
        [['google.rpc.ErrorInfo', { reason: 'RATE_LIMIT_EXCEEDED', domain: 'googleapis.com' }]],
      );
    case 'forbidden':
      return new RpcError(
        'PERMISSION_DENIED',
        `Required "${permissionOf(method)}" permission(s) for "projects/lab-project".`,
      );
  }
}

/** The fault as Compute Engine tells it (Compute Engine documentation, "Rate quotas": 403 with reason rateLimitExceeded). */
export function httpFault(kind: Exclude<FaultKind, 'lost'>, method: string): HttpError {
  switch (kind) {
    case 'unavailable':
      return new HttpError(503, 'backendError', 'Backend Error');
    case 'internal':
      return new HttpError(500, 'internalError', 'Internal Error');
    case 'rate-limit':
      return new HttpError(
        403,
        'rateLimitExceeded',
        "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service 'compute.googleapis.com'",
      );
    case 'too-many':
      return new HttpError(429, 'rateLimitExceeded', 'Rate Limit Exceeded');
    case 'forbidden':
      return new HttpError(
        403,
        'forbidden',
        `Required '${permissionOf(method)}' permission for 'projects/lab-project'`,
      );
  }
}
