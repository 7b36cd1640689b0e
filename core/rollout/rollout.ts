/** In which stages the nodes of a pool are replaced, and where somebody has to approve: `spec.rollout` of a policy, after parsing. */
export interface RolloutPolicy {
  /** Absent: no node goes ahead of the others. */
  readonly canary?: CanaryPolicy;
  /** Zones that are replaced one after another; nodes in zones that are not listed follow last. Empty: all zones together. */
  readonly zones: readonly string[];
  /** Absent: nobody has to approve. */
  readonly approvals?: ApprovalPolicy;
  /** How many nodes may be stalled at the same time while others continue. Absent: none, and the run is stalled but does not pause itself. */
  readonly maxFailures?: number;
}

/** Nodes that are replaced ahead of the others. */
interface CanaryPolicy {
  readonly nodes: number;
  /** Pause after they have been replaced, ms, in which the probes continue. */
  readonly soakMs: number;
}

/** The points at which a run can wait for approval. */
export const approvalPoints = ['start', 'canary', 'zone'] as const;

/** Where a run waits for approval, and what happens when none is given. */
interface ApprovalPolicy {
  /**
   * `start`: before the run changes anything. `canary`: after the canary nodes and their soak. `zone`: before each zone except the first.
   */
  readonly at: readonly (typeof approvalPoints)[number][];
  /** Undefined: the run waits for any length of time. */
  readonly timeoutMs: number | undefined;
  /** After the timeout: the run is stalled, and continues when somebody approves; or it is aborted. */
  readonly onTimeout: (typeof timeoutOutcomes)[number];
}

/** What can happen when nobody approves. */
export const timeoutOutcomes = ['stall', 'abort'] as const;
