import type { Problem } from '../model/problem.ts';
import { bytesOf, maxPayloadBytes } from '../text/bytes.ts';
import { formatMegabytes } from '../text/format.ts';
import type { PoolPlan } from './pool-plan.ts';

/** What of a plan is told when the plan is too large. */
const maxParts = 3;

/**
 * The problem of a plan that is too large for the answer of a step. The SDK fails such a step so that it is repeated (temporalio/rules, TMPRL1103), for
 * ever and in silence. INF-014 refuses what can be known from the size of the pool alone.
 */
export function explainTooLarge(plan: PoolPlan): Problem | undefined {
  const bytes = bytesOf(plan);
  if (bytes <= maxPayloadBytes) return undefined;
  const parts = Object.entries(plan)
    .map(([name, part]) => ({ name, bytes: bytesOf(part) }))
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, maxParts);
  return {
    code: 'PreflightRefused',
    message: `the plan of pool ${plan.oldPool.name} takes ${formatMegabytes(bytes)}, and one message of Temporal may have ${formatMegabytes(maxPayloadBytes)}: ${parts.map((part) => `${part.name} ${formatMegabytes(part.bytes)}`).join(', ')}`,
    hint: 'Shorten what is large: spread the nodes over several pools, shorten the policy, or run while fewer pods wait for a node.',
  };
}
