import type { PodRef } from '../../core/model/pod.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { EvictionOutcome } from '../../ports/cluster/pod-actions.ts';
import type { ChangeAccess } from './change.ts';
import { type ApiAnswer, answerError, denialOf, hasSeveralBudgets, retryAfterMs, statusOf } from './errors.ts';

const operation = { resource: 'evictions', verb: 'create' } as const;

/** The API server suggests no delay for an exhausted budget, so this is ours, ms; kubectl drain waits as long. */
const budgetRetryMs = 5_000;
/** The server itself waits up to 10 s for a busy budget (pkg/registry/core/pod/storage/eviction.go), ms. */
const busyRetryMs = 2_000;
/** A budget whose status its controller has not caught up with, or that needs a person, ms. */
const brokenBudgetRetryMs = 30_000;

/** The eviction request. It never sets a grace period, because that would override the pod's own. */
export function evictionOperation(access: ChangeAccess): Pick<Cluster, 'evict'> {
  return {
    evict: async (pod, { dryRun }) => {
      const { namespace, name, uid } = pod;
      if (!dryRun) await access.beforeChange?.();
      const answer = await access.connection.send({
        ...operation,
        namespace,
        name,
        ...(dryRun ? { query: { dryRun: 'All' } } : {}),
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { namespace, name },
          deleteOptions: { preconditions: { uid } },
        },
      });
      const outcome = readEvictionAnswer(answer, pod);
      if (outcome.outcome === 'evicted' && !dryRun) access.caches.expectDeletion('pods', pod);
      return outcome;
    },
  };
}

/**
 * Distinguishes the responses of the eviction API (kubernetes pkg/registry/core/pod/storage/eviction.go). Several share a status code and differ only
 * in cause, kind or text. @throws NodeferryError Forbidden when the role lacks pods/eviction
 */
export function readEvictionAnswer(answer: ApiAnswer, pod: PodRef): EvictionOutcome {
  const { message = `answer ${answer.status}`, details } = statusOf(answer);
  const after = retryAfterMs(answer);
  if (answer.status >= 200 && answer.status < 300) return { outcome: 'evicted' };
  switch (answer.status) {
    case 404:
      return { outcome: 'gone' };
    case 409:
      if (message.includes('UID')) return { outcome: 'gone' };
      return { outcome: 'retry', message, retryAfterMs: after ?? busyRetryMs };
    case 429: {
      const budget = details?.causes?.find(({ reason }) => reason === 'DisruptionBudget');
      if (budget === undefined) return { outcome: 'retry', message, retryAfterMs: after ?? busyRetryMs };
      return { outcome: 'blocked-by-budget', message: budget.message ?? message, retryAfterMs: after ?? budgetRetryMs };
    }
    case 400:
    case 403:
    case 422:
      // An admission policy, which may allow the eviction later: the pod is reported as blocked, with the policy's message.
      if (denialOf(answer) !== undefined)
        return { outcome: 'retry', message, retryAfterMs: after ?? brokenBudgetRetryMs };
      // The same code stands for a budget with inconsistent numbers and for a role that lacks the rule.
      if (details?.kind?.toLowerCase() !== 'poddisruptionbudget') throw answerError(answer, operation);
      return { outcome: 'retry', message, retryAfterMs: after ?? brokenBudgetRetryMs };
    case 500:
      if (hasSeveralBudgets(answer)) {
        return { outcome: 'impossible', message: `${pod.namespace}/${pod.name}: ${message}` };
      }
      return { outcome: 'retry', message, retryAfterMs: after ?? busyRetryMs };
    case 502:
    case 503:
    case 504:
      return { outcome: 'retry', message, retryAfterMs: after ?? busyRetryMs };
    default:
      throw answerError(answer, operation);
  }
}
