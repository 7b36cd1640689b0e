import { AwsError } from './codec/errors.ts';

/** Which calls a fault affects: all of them, those of a service, of one action, or of a client. */
interface CallMatch {
  /** `ec2`, `autoscaling`, `eks` or `elbv2`. */
  readonly service?: string;
  /** E.g. `DescribeTargetHealth`. */
  readonly action?: string;
  /** Part of the User-Agent, e.g. `aws-sdk-js`. */
  readonly client?: string;
}

/** A call to which a fault may apply. */
interface Call {
  readonly service: string;
  readonly action: string;
  readonly userAgent: string;
}

/** Injected faults. */
export interface Faults {
  /** This share (0..1) of the calls is refused with the service's throttling error. */
  throttle(match: CallMatch, rate: number): void;
  /** This share (0..1) of the calls ends in the service's internal error. */
  fail(match: CallMatch, rate: number): void;
  /** IAM does not allow the caller to make this call. */
  forbid(match: CallMatch): void;
  /** Responses are delayed by this many milliseconds. */
  slow(match: CallMatch, ms: number): void;
  /** The next launches fail for lack of capacity: without a count until cleared, without a zone in all zones. */
  refuseLaunches(options?: { readonly count?: number; readonly zone?: string }): void;
  /** The next this many instances run but never become nodes. */
  neverJoin(count: number): void;
  /** Ends all faults. */
  clear(): void;
}

interface CallFault {
  readonly match: CallMatch;
  readonly kind: 'throttle' | 'fail' | 'forbid' | 'slow';
  /** A share, or milliseconds for `slow`. */
  readonly amount: number;
}

/** The faults in force. */
export interface FaultState {
  calls: CallFault[];
  refusedLaunches: { left: number; readonly zone: string | undefined } | undefined;
  neverJoining: number;
}

/** A state without faults. */
export function noFaults(): FaultState {
  return { calls: [], refusedLaunches: undefined, neverJoining: 0 };
}

/** The controls of a fault state. */
export function faultControls(state: FaultState): Faults {
  const add = (kind: CallFault['kind']) => (match: CallMatch, amount: number) => {
    state.calls.push({ match, kind, amount });
  };
  return {
    throttle: add('throttle'),
    fail: add('fail'),
    forbid: (match) => add('forbid')(match, 1),
    slow: add('slow'),
    refuseLaunches: ({ count, zone } = {}) => {
      state.refusedLaunches = { left: count ?? Number.POSITIVE_INFINITY, zone };
    },
    neverJoin: (count) => {
      state.neverJoining = count;
    },
    clear: () => {
      Object.assign(state, noFaults());
    },
  };
}

function matching(state: FaultState, kind: CallFault['kind'], { service, action, userAgent }: Call): CallFault[] {
  return state.calls.filter(
    ({ kind: k, match }) =>
      k === kind &&
      (match.service ?? service) === service &&
      (match.action ?? action) === action &&
      userAgent.includes(match.client ?? ''),
  );
}

/** How late the response is, in milliseconds. */
export function answerDelay(state: FaultState, call: Call): number {
  return Math.max(0, ...matching(state, 'slow', call).map((fault) => fault.amount));
}

/** The error that an injected fault causes for a call, if any. */
export function injectedError(state: FaultState, random: () => number, call: Call): AwsError | undefined {
  const { service, action } = call;
  if (matching(state, 'forbid', call).length > 0) return forbiddenError(service, action);
  const hit = (fault: CallFault) => random() < fault.amount;
  if (matching(state, 'throttle', call).some(hit)) return throttlingError(service);
  if (matching(state, 'fail', call).some(hit)) return internalError(service);
  return undefined;
}

/** Whether IAM refuses that call. Services also ask this for what they do on a caller's behalf. */
export function isForbidden(state: FaultState, service: string, action: string): boolean {
  return matching(state, 'forbid', { service, action, userAgent: '' }).length > 0;
}

/** EC2 API reference "Error codes": UnauthorizedOperation; the others "Common errors": AccessDenied, or AccessDeniedException in JSON. */
export function forbiddenError(service: string, action: string): AwsError {
  const said = `You are not authorized to perform this operation. User: test is not authorized to perform: ${service}:${action}`;
  if (service === 'ec2') return new AwsError('UnauthorizedOperation', said, 403);
  return new AwsError(service === 'eks' ? 'AccessDeniedException' : 'AccessDenied', said, 403);
}

/**
 * EC2 API reference "Error codes": RequestLimitExceeded; Auto Scaling and ELB "Common errors": Throttling;
 * EKS: ThrottlingException with status 429, as its API reference lists for its newer operations.
 */
function throttlingError(service: string): AwsError {
  if (service === 'ec2') return new AwsError('RequestLimitExceeded', 'Request limit exceeded.', 503);
  if (service === 'eks') return new AwsError('ThrottlingException', 'Rate exceeded', 429);
  return new AwsError('Throttling', 'Rate exceeded', 400);
}

/** EC2 API reference "Error codes": InternalError; EKS: ServerException; the others "Common errors": InternalFailure. */
function internalError(service: string): AwsError {
  if (service === 'ec2') return new AwsError('InternalError', 'An internal error has occurred', 500);
  if (service === 'eks') return new AwsError('ServerException', 'Internal server error', 500);
  return new AwsError('InternalFailure', 'We encountered an internal error. Please try again.', 500);
}

/** Consumes one refused launch, if launches in this zone are refused. */
export function takeRefusedLaunch(state: FaultState, zone: string): boolean {
  const refused = state.refusedLaunches;
  if (refused === undefined || refused.left <= 0 || (refused.zone ?? zone) !== zone) return false;
  refused.left -= 1;
  return true;
}
