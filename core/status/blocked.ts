import type { BlockedPod } from '../eviction/actions.ts';
import type { BudgetDemand } from '../model/budget-demand.ts';

/** A pod that may not leave yet, and what would unblock it. */
export interface BlockedSince {
  /** `namespace/name`. */
  readonly pod: string;
  /** `namespace/name` of the PodDisruptionBudget that blocks it, if one does. */
  readonly budget: string | undefined;
  readonly needs: number | undefined;
  readonly has: number | undefined;
  /** Pods that the budget counts on, healthy or not. */
  readonly expects?: number;
  /** What its spec demands. */
  readonly demand?: BudgetDemand;
  /** Epoch ms since when it has been blocked. */
  readonly since: number;
  readonly reason: string;
}

/** How many are reported. */
const maxReported = 10;

/** Since when each pod has been blocked, kept from observation to observation. */
export function recordBlocked(
  blocked: readonly BlockedPod[],
  known: readonly BlockedSince[],
  now: number,
): readonly BlockedSince[] {
  return blocked.slice(0, maxReported).map(({ pod, reason, ...counts }) => {
    const name = `${pod.namespace}/${pod.name}`;
    const since = known.find((one) => one.pod === name)?.since ?? now;
    return { pod: name, ...counts, since, reason };
  });
}
