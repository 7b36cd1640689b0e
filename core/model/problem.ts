/** Who has to act on a problem. */
type ProblemSource = 'user' | 'cluster' | 'provider' | 'tool';

/**
 * Stable codes of all problems, with who must act and whether a retry can help.
 * The code is also the `type` of the Temporal ApplicationFailure that carries it.
 */
export const problemCodes = {
  InvalidArgument: { source: 'user', retryable: false },
  InvalidPolicy: { source: 'user', retryable: false },
  PoolNotFound: { source: 'user', retryable: false },
  PlanOutdated: { source: 'user', retryable: false },
  PreflightRefused: { source: 'user', retryable: false },
  NotFinished: { source: 'user', retryable: true },
  AlreadyRunning: { source: 'user', retryable: false },
  LockHeld: { source: 'user', retryable: false },
  LockLost: { source: 'cluster', retryable: false },
  Superseded: { source: 'tool', retryable: false },
  Forbidden: { source: 'user', retryable: false },
  ClusterUnreachable: { source: 'cluster', retryable: true },
  TemporalUnreachable: { source: 'tool', retryable: true },
  Throttled: { source: 'provider', retryable: true },
  ProviderUnavailable: { source: 'provider', retryable: true },
  ProviderRefused: { source: 'provider', retryable: false },
  CapacityUnavailable: { source: 'provider', retryable: true },
  Conflict: { source: 'cluster', retryable: true },
  AdmissionDenied: { source: 'cluster', retryable: false },
  NodeUnreachable: { source: 'cluster', retryable: false },
  NotOwned: { source: 'tool', retryable: false },
  DeadlineExceeded: { source: 'cluster', retryable: false },
  ApprovalMissing: { source: 'user', retryable: false },
  RunAborted: { source: 'user', retryable: false },
  RollbackIncomplete: { source: 'tool', retryable: false },
  Internal: { source: 'tool', retryable: false },
} as const satisfies Record<string, { source: ProblemSource; retryable: boolean }>;

/** One of the stable problem codes. */
export type ProblemCode = keyof typeof problemCodes;

/** Whether a value is one of the stable problem codes. */
export function isProblemCode(value: unknown): value is ProblemCode {
  return typeof value === 'string' && Object.hasOwn(problemCodes, value);
}

/** The content of every error of nodeferry: what happened, why, and how to fix it. Plain data that is safe in payloads. */
export interface Problem {
  readonly code: ProblemCode;
  /** What happened, with the names of the objects concerned. */
  readonly message: string;
  /** What the reader can do about it. */
  readonly hint?: string;
}

/** The only error class of nodeferry: a Problem that can be thrown through ports. */
export class NodeferryError extends Error {
  readonly problem: Problem;
  /** Minimum delay before a retry, ms, when the server asked for one. */
  readonly retryAfterMs: number | undefined;
  /**
   * There were no credentials for the call, in difference to some that were refused. A process that has just started may get them a little later, so
   * a wait goes on; whoever runs a command has to be told at once.
   */
  readonly lacksCredentials: boolean;

  constructor(problem: Problem, options?: { cause?: unknown; retryAfterMs?: number; lacksCredentials?: boolean }) {
    super(problem.message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'NodeferryError';
    this.problem = problem;
    this.retryAfterMs = options?.retryAfterMs;
    this.lacksCredentials = options?.lacksCredentials === true;
  }
}

/** True for an error after which the same call may succeed. */
export function isRetryable(error: unknown): boolean {
  return error instanceof NodeferryError && problemCodes[error.problem.code].retryable;
}
