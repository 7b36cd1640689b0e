import type { GuardBlock } from './block.ts';
import type { GuardDecision } from './select-candidate.ts';

/** Why the guard allows no node, as one word out of few. `unverified`: what was observed proves nothing. */
export type RefusalReason = GuardBlock['limit'] | 'unverified';

/** The reason of a refusal; undefined when a node may go, or will once observations have agreed for long enough. */
export function refusalReasonOf({
  node,
  blockedBy,
  settlesInMs,
}: Pick<GuardDecision, 'node' | 'blockedBy' | 'settlesInMs'>): RefusalReason | undefined {
  if (node !== undefined || settlesInMs !== undefined) return undefined;
  return blockedBy?.limit ?? 'unverified';
}
