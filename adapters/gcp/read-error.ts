import { distrustIn } from '../calls/distrust.ts';

/** The contents of an error of one of Google's clients, read without trusting its shape. */
export interface GoogleErrorFacts {
  /** Name of a gRPC status, e.g. `FAILED_PRECONDITION`; undefined for an error of HTTP or of the network. */
  readonly rpc: string | undefined;
  /** HTTP status; undefined for one of gRPC, or when there was no answer. */
  readonly status: number | undefined;
  /** Google's machine-readable word for it, e.g. `CLUSTER_ALREADY_HAS_OPERATION` or `rateLimitExceeded`. */
  readonly reason: string | undefined;
  /** In Google's words, without the status that the client puts in front. */
  readonly message: string;
  /** Why the certificate of the server was not accepted; undefined when it was. */
  readonly distrust: string | undefined;
  /** Minimum time before another attempt, ms, from the Retry-After header. */
  readonly retryAfterMs: number | undefined;
}

/** Names of gRPC's status codes by number (google/rpc/code.proto). */
const rpcNames = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

/** Reads an error of the GKE client (gRPC) or of the Compute client (HTTP). */
export function readGoogleError(error: unknown): GoogleErrorFacts {
  const fields = asRecord(error);
  const response = asRecord(fields['response']);
  const said = asRecord(asRecord(response['data'])['error']);
  const status = numberIn(response['status']);
  const rpc = status === undefined && typeof fields['code'] === 'number' ? rpcNames[fields['code']] : undefined;
  const message = textIn(said['message']) ?? (error instanceof Error ? error.message : String(error));
  return {
    rpc,
    status,
    reason: textIn(fields['reason']) ?? firstReason(said['errors']),
    message: message.replace(/^\d+ [A-Z_]+: /, ''),
    distrust: isAnswer(status, rpc) ? undefined : distrustIn(message),
    retryAfterMs: readRetryAfter(response['headers']),
  };
}

/** Whether the server has answered. Without a connection, a call of gRPC ends with one of two codes. */
function isAnswer(status: number | undefined, rpc: GoogleErrorFacts['rpc']): boolean {
  return status !== undefined || (rpc !== undefined && rpc !== 'UNAVAILABLE' && rpc !== 'DEADLINE_EXCEEDED');
}

function firstReason(errors: unknown): string | undefined {
  return Array.isArray(errors) ? textIn(asRecord(errors[0])['reason']) : undefined;
}

/** Seconds; headers are a Headers object or a record. */
function readRetryAfter(headers: unknown): number | undefined {
  const value = headers instanceof Headers ? headers.get('retry-after') : asRecord(headers)['retry-after'];
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
