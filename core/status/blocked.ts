/** A pod that may not leave yet, and what would let it. */
export interface BlockedSince {
  /** `namespace/name`. */
  readonly pod: string;
  /** `namespace/name` of the PodDisruptionBudget in the way, when one is. */
  readonly budget: string | undefined;
  readonly needs: number | undefined;
  readonly has: number | undefined;
  /** Epoch ms since when it has been blocked. */
  readonly since: number;
  readonly reason: string;
}
