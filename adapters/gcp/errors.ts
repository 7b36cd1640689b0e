import { NodeferryError, type ProblemCode } from '../../core/model/problem.ts';
import { distrusted, distrustHint } from '../calls/distrust.ts';
import { type GoogleErrorFacts, readGoogleError } from './read-error.ts';

/** The call that an error came from. */
export interface GoogleCall {
  /** The IAM permission that allows it, e.g. `container.clusters.update`. */
  readonly permission: string;
  /** What the call was about, e.g. `pool prod/web`. */
  readonly subject: string;
  /** Where the call was made. Absent where the caller has only the name of a resource. */
  readonly project?: string;
}

/**
 * Reasons for which a call is refused for the rate alone (Compute Engine documentation, "Rate quotas"). `quotaExceeded` is none of them: it is about a
 * quota of resources (GoogleCloudDataproc/hadoop-connectors, ApiErrorExtractor, tells both apart).
 */
const rateReasons = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED']);

/** A quota of calls is named by its metric, earlier by its group; a quota of resources by the resource (hashicorp/terraform-provider-google, issue 8360). */
const rateText = /quota exceeded for quota (?:metric|group) /i;

/** GKE's words for an operation that excludes another, in the order in which it has used them. */
const conflictTexts =
  /incompatible operation|\boperation-\S+ is currently |is currently being created, deleted, updated or repaired/i;

const quotaText = /insufficient \w+ quota|quota .* exceeded\. +limit|QUOTA_EXCEEDED/i;

/** Compute Engine's reason for a resource that is being created, changed or deleted, or is off (spinnaker/clouddriver pull request 256; fog/fog-google issue 41). */
const notReady = 'resourceNotReady';

/** Whether the call was refused because another operation runs. */
export function isConflict({ rpc, reason, message }: GoogleErrorFacts): boolean {
  if (reason === 'CLUSTER_ALREADY_HAS_OPERATION') return true;
  return rpc === 'FAILED_PRECONDITION' && conflictTexts.test(message);
}

/** The problem code of an error of Google's. */
function problemCode(facts: GoogleErrorFacts): ProblemCode {
  if (isConflict(facts) || facts.reason === notReady) return 'Conflict';
  if (isRate(facts)) return 'Throttled';
  if (facts.reason === 'quotaExceeded' || quotaText.test(facts.message)) return 'CapacityUnavailable';
  return facts.rpc === undefined ? httpCode(facts) : rpcCode(facts.rpc);
}

function isRate({ reason = '', message }: GoogleErrorFacts): boolean {
  return rateReasons.has(reason) || rateText.test(message);
}

function rpcCode(rpc: string): ProblemCode {
  switch (rpc) {
    case 'NOT_FOUND':
      return 'PoolNotFound';
    case 'PERMISSION_DENIED':
    case 'UNAUTHENTICATED':
      return 'Forbidden';
    case 'RESOURCE_EXHAUSTED':
      return 'Throttled';
    case 'ABORTED':
      return 'Conflict';
    case 'UNAVAILABLE':
    case 'INTERNAL':
    case 'DEADLINE_EXCEEDED':
    case 'CANCELLED':
    case 'UNKNOWN':
      return 'ProviderUnavailable';
    default:
      return 'ProviderRefused';
  }
}

function httpCode({ status }: GoogleErrorFacts): ProblemCode {
  if (status === 429) return 'Throttled';
  if (status === 401 || status === 403) return 'Forbidden';
  if (status === undefined || status >= 500 || status === 408) return 'ProviderUnavailable';
  return 'ProviderRefused';
}

/** Converts an error of one of Google's clients into a NodeferryError with the message from Google. */
export function toNodeferryError(error: unknown, call: GoogleCall): NodeferryError {
  if (error instanceof NodeferryError) return error;
  const facts = readGoogleError(error);
  const { distrust: why } = facts;
  if (why !== undefined) {
    return distrusted(`${call.subject}: ${call.permission}`, { why, hint: hintForDistrust(facts), cause: error });
  }
  const code = problemCode(facts);
  const name = facts.reason ?? facts.rpc ?? (facts.status === undefined ? 'no answer' : String(facts.status));
  const hint = facts.reason === notReady ? 'The call is made again later.' : hintFor(code, call);
  return new NodeferryError(
    { code, message: `${call.subject}: ${call.permission}: ${name}: ${facts.message}`, ...(hint && { hint }) },
    { cause: error, ...(facts.retryAfterMs !== undefined && { retryAfterMs: facts.retryAfterMs }) },
  );
}

function hintForDistrust({ rpc }: GoogleErrorFacts): string {
  if (rpc === undefined) return distrustHint('NODEFERRY_COMPUTE_URL or NODEFERRY_RESOURCE_MANAGER_URL');
  const file = 'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH if that is set, else of NODE_EXTRA_CA_CERTS';
  return distrustHint('NODEFERRY_GKE_ENDPOINT', file);
}

function hintFor(code: ProblemCode, { permission, project = 'PROJECT' }: GoogleCall): string | undefined {
  switch (code) {
    case 'Forbidden':
      return (
        `Check the credentials, and grant the permission ${permission} to the service account that nodeferry runs under. ` +
        `Where it has the role of deploy/iam/gke-role.yaml: gcloud iam roles update nodeferry --project=${project} --file=deploy/iam/gke-role.yaml.`
      );
    case 'Throttled':
      return 'Google limits the request rate of the project; the call is tried again more slowly.';
    case 'ProviderUnavailable':
      return 'Google could not be reached or had an internal error; the call is tried again.';
    case 'Conflict':
      return 'GKE allows one operation at a time there; the call is made again when that one is done.';
    case 'CapacityUnavailable':
      return 'The quota of the region does not allow as many instances: request a higher quota, or remove what is not needed.';
    case 'PoolNotFound':
      return 'Check the project, the location, the cluster name and the node pool name of the policy.';
    default:
      return undefined;
  }
}
