import { NodeferryError, type ProblemCode } from '../../core/model/problem.ts';
import { distrusted, distrustHint, distrustIn } from '../calls/distrust.ts';

/** The AWS call that an error came from. */
export interface AwsCall {
  /** The IAM action that allows it, e.g. `eks:CreateNodegroup`. */
  readonly action: string;
  /** What the call was about, e.g. `pool prod/web`. */
  readonly subject: string;
}

/** The contents of an SDK error, read without trusting its shape. */
interface AwsErrorFacts {
  /** Error code as the service spells it, or a system error code. */
  readonly name: string;
  readonly message: string;
  /** HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** Minimum time before another attempt, ms, from the Retry-After header. */
  readonly retryAfterMs: number | undefined;
}

/** Error codes for too many requests (AWS SDKs guide, "Retry behavior"; EC2 API reference, "Error codes"). */
const throttlingNames = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

/**
 * The SDK's own error when no source of credentials has any. So it is where the agent of EKS Pod Identity or the metadata service does not answer yet:
 * three more attempts, a second apart, are all that the SDK makes (@aws-sdk/credential-provider-http, fromHttp.ts and retry-wrapper.ts).
 */
const lackOfCredentials = 'CredentialsProviderError';

/** Error codes for calls that were not allowed or not signed correctly (Common errors of each API reference). */
const forbiddenNames = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'AuthFailure',
  lackOfCredentials,
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'MissingAuthenticationToken',
  'NotAuthorized',
  'OptInRequired',
  'SignatureDoesNotMatch',
  'UnauthorizedOperation',
  'UnrecognizedClientException',
]);

/** Error codes for services and networks that can't answer at the moment. */
const unavailableNames = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'InternalError',
  'InternalFailure',
  'NetworkingError',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServerException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'TimeoutError',
]);

/** Reads an error of an SDK client. */
export function readAwsError(error: unknown): AwsErrorFacts {
  const fields = asRecord(error);
  const { statusCode, headers } = asRecord(fields['$response']);
  const { httpStatusCode } = asRecord(fields['$metadata']);
  const status = [httpStatusCode, statusCode].find((value) => typeof value === 'number');
  const name = typeof fields['name'] === 'string' ? fields['name'] : 'Error';
  const code = typeof fields['code'] === 'string' ? fields['code'] : undefined;
  return {
    name: name === 'Error' || name === 'AggregateError' ? (code ?? name) : name,
    message: error instanceof Error && error.message !== '' ? error.message : name,
    status,
    retryAfterMs: readRetryAfter(asRecord(headers)['retry-after']),
  };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Seconds only: AWS sends no dates in this header. */
function readRetryAfter(header: unknown): number | undefined {
  const seconds = typeof header === 'string' && header !== '' ? Number(header) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** The problem code of an error that every AWS service can return; undefined for an error that only its service explains. */
export function commonProblemCode(facts: AwsErrorFacts): ProblemCode | undefined {
  if (throttlingNames.has(facts.name) || facts.status === 429) return 'Throttled';
  if (forbiddenNames.has(facts.name) || facts.status === 401 || facts.status === 403) return 'Forbidden';
  if (unavailableNames.has(facts.name) || (facts.status ?? 0) >= 500) return 'ProviderUnavailable';
  return undefined;
}

/** Converts an SDK error into a NodeferryError. An unknown error becomes ProviderRefused with the message from AWS. */
export function toNodeferryError(error: unknown, call: AwsCall, code?: ProblemCode, hint?: string): NodeferryError {
  if (error instanceof NodeferryError) return error;
  const facts = readAwsError(error);
  const why = isAnswer(facts) ? undefined : distrustIn(facts.message);
  if (why !== undefined) {
    const hint = distrustHint('AWS_ENDPOINT_URL');
    return distrusted(`${call.subject}: ${call.action}`, { why, hint, cause: error });
  }
  const decided = commonProblemCode(facts) ?? code ?? (isAnswer(facts) ? 'ProviderRefused' : 'Internal');
  const said = decided === commonProblemCode(facts) ? commonHint(decided, call) : hint;
  return new NodeferryError(
    {
      code: decided,
      message: `${call.subject}: ${call.action}: ${facts.name}: ${facts.message}`,
      ...(said && { hint: said }),
    },
    {
      cause: error,
      lacksCredentials: facts.name === lackOfCredentials,
      ...(facts.retryAfterMs !== undefined && { retryAfterMs: facts.retryAfterMs }),
    },
  );
}

const isAnswer = (facts: AwsErrorFacts) => facts.status !== undefined;

function commonHint(code: ProblemCode, call: AwsCall): string | undefined {
  if (code === 'Forbidden') {
    return `Check the credentials, and allow the IAM action ${call.action} to the role that nodeferry runs under (deploy/iam/policy.json lists everything it needs).`;
  }
  if (code === 'Throttled') return 'AWS limits the request rate of the account; the call is tried again more slowly.';
  if (code === 'ProviderUnavailable')
    return 'AWS could not be reached or had an internal error; the call is tried again.';
  return undefined;
}
