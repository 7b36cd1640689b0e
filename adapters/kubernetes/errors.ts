import { NodeferryError } from '../../core/model/problem.ts';
import { type Operation, rbacName, rbacRule, resources } from './resources.ts';

/** The part of a `Status` object (meta/v1) that distinguishes failures. */
interface StatusBody {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly kind?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

/** A response of the API server, whatever its status. */
export interface ApiAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; for anything else the text itself. */
  readonly body: unknown;
}

/** The body of the response as a Status; empty when it is something else. */
export function statusOf(answer: ApiAnswer): StatusBody {
  if (typeof answer.body === 'string') return { message: answer.body.slice(0, 500) };
  return (answer.body ?? {}) as StatusBody;
}

/** How long the server asked to wait, ms: `Retry-After` in seconds or `details.retryAfterSeconds`; undefined when it did not ask. */
export function retryAfterMs(answer: ApiAnswer): number | undefined {
  const seconds = Number(answer.headers['retry-after'] ?? statusOf(answer).details?.retryAfterSeconds ?? 'NaN');
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

/** A request in words: an operation of the table, or what else was asked. */
function nameOf(request: Operation | string): string {
  return typeof request === 'string' ? request : `${request.verb} ${rbacName(request.resource)}`;
}

/** The error for a response that the caller can't handle. */
export function answerError(answer: ApiAnswer, operation: Operation | string): NodeferryError {
  const what = nameOf(operation);
  const said = statusOf(answer).message ?? 'no message';
  const delay = retryAfterMs(answer);
  const options = delay === undefined ? {} : { retryAfterMs: delay };
  switch (answer.status) {
    case 401:
      return new NodeferryError({
        code: 'Forbidden',
        message: `The Kubernetes API server does not accept our credentials (${what}): ${said}`,
        hint: 'Check the user of the kubeconfig context, or the service account of the worker.',
      });
    case 400:
    case 422:
      if (/denied (the )?request/.test(said)) return denied(what, said);
      return new NodeferryError({ code: 'Internal', message: `Could not ${what} (${answer.status}): ${said}` });
    case 403: {
      const denial = denialOf(answer);
      if (denial !== undefined) return denied(what, denial);
      if (typeof operation !== 'string') return forbidden(operation, said);
      return new NodeferryError({ code: 'Forbidden', message: `Not allowed to ${what}: ${said}` });
    }
    case 409:
      return new NodeferryError({ code: 'Conflict', message: `Could not ${what}: ${said}` }, options);
    case 429:
      return new NodeferryError(
        { code: 'Throttled', message: `The Kubernetes API server throttles us (${what}): ${said}` },
        options,
      );
    default:
      if (answer.status >= 500)
        return unreachable(`it answered ${answer.status} to ${what}: ${said}`, undefined, delay);
      return new NodeferryError({ code: 'Internal', message: `Could not ${what} (${answer.status}): ${said}` });
  }
}

/**
 * What an admission webhook, a ValidatingAdmissionPolicy or another admission plugin said against a request; undefined for any other response. Such
 * denials have the codes 400, 403 and 422, and 500 when a webhook can't be called or failed itself (k8s.io/apiserver,
 * pkg/admission/plugin/webhook/errors/statuserror.go and pkg/admission/plugin/policy/validating; `Errored` of sigs.k8s.io/controller-runtime,
 * pkg/webhook/admission/response.go). A role that lacks a rule also results in 403, but
 * its message names the user (pkg/endpoints/handlers/responsewriters/errors.go).
 */
export function denialOf(answer: ApiAnswer): string | undefined {
  const { message = '' } = statusOf(answer);
  switch (answer.status) {
    case 400:
      return /denied the request/.test(message) ? message : undefined;
    case 403:
      return /denied (the )?request|is forbidden: (?!User ")/.test(message) ? message : undefined;
    case 422:
      return /denied (the )?request/.test(message) ? message : undefined;
    case 500:
      return /failed calling webhook|denied the request/.test(message) ? message : undefined;
    default:
      return undefined;
  }
}

/** Whether the pod can't be evicted because several budgets cover it: the API server's answer to that is a 500 (pkg/registry/core/pod/storage/eviction.go). */
export function hasSeveralBudgets(answer: ApiAnswer): boolean {
  return statusOf(answer).message?.includes('more than one PodDisruptionBudget') === true;
}

/** Whether a response says that the API server can't handle requests, rather than that it does not handle this one. */
export function isServerFailure(answer: ApiAnswer): boolean {
  return answer.status >= 500 && denialOf(answer) === undefined && !hasSeveralBudgets(answer);
}

function denied(what: string, said: string): NodeferryError {
  return new NodeferryError({
    code: 'AdmissionDenied',
    message: `The cluster's admission does not let us ${what}: ${said}`,
    hint: 'Ask the owner of that webhook or policy to exempt nodeferry.',
  });
}

/** The error for an operation that no role allows; names the missing rule. */
export function forbidden(operation: Operation, said: string): NodeferryError {
  const rule = rbacRule(operation.resource);
  const kind = resources[operation.resource].where === 'cluster' ? 'ClusterRole' : 'Role';
  return new NodeferryError({
    code: 'Forbidden',
    message: `Not allowed to ${operation.verb} ${rbacName(operation.resource)}: ${said}`,
    hint: `Add this rule to nodeferry's ${kind} (deploy/rbac): ${JSON.stringify(rule)}`,
  });
}

/** The error for an API server that can't be reached or can't answer. */
export function unreachable(why: string, cause?: unknown, delayMs?: number): NodeferryError {
  return new NodeferryError(
    {
      code: 'ClusterUnreachable',
      message: `The Kubernetes API server cannot be used: ${why}`,
      hint: 'Check that the address in the kubeconfig is reachable from here and that the API server is healthy.',
    },
    { cause, ...(delayMs === undefined ? {} : { retryAfterMs: delayMs }) },
  );
}

/** The error for a request that failed before any response. It names the innermost reason, e.g. `connect ECONNREFUSED`. */
export function transportError(error: unknown, operation: Operation | string): NodeferryError {
  const what = nameOf(operation);
  if (isTimeout(error)) return unreachable(`no answer in time to ${what}`, error);
  return unreachable(`${innermostMessage(error)} (${what})`, error);
}

/** True when a request was aborted because it timed out. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause));
}

function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return innermostMessage(error.cause);
  if (error instanceof AggregateError && error.errors.length > 0) return innermostMessage(error.errors[0]);
  return error.message;
}
