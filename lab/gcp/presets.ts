/** How long the simulated Google takes, ms. */
export interface GcpDelays {
  /** From a call to GKE until its operation is RUNNING and begins to act. */
  readonly operationStartMs: number;
  /** How long an operation of GKE runs that changes settings only. */
  readonly settingsMs: number;
  /** How long the deletion of an empty node pool runs. */
  readonly poolDeleteMs: number;
  /** A node pool that is not complete by then ends with an error; until then its operation runs. */
  readonly poolCreateTimeoutMs: number;
  /** From the creation of a VM to RUNNING. */
  readonly instanceBootMs: number;
  /** From the request to delete a VM until it is gone. */
  readonly instanceTerminationMs: number;
  /** Pause of a managed instance group after a VM that could not be created. */
  readonly launchRetryMs: number;
  /** How long an operation of Compute Engine runs. */
  readonly computeOperationMs: number;
  /** Without a data plane: from the moment when a VM or an endpoint becomes a member of what is behind a load balancer until it is HEALTHY. */
  readonly firstHealthMs: number;
  /** With a data plane: from an attachment to the first health check. */
  readonly attachPropagationMs: number;
  /** New connections reach a member this long after it was found healthy. */
  readonly healthyPropagationMs: number;
  /** New connections still reach a member for this long after it was found unhealthy. */
  readonly unhealthyPropagationMs: number;
  /** New connections still reach a member for this long after it was detached. */
  readonly detachPropagationMs: number;
  /** Connections are drained for this share of the time that the backend service sets, 0 to 1. */
  readonly drainShare: number;
}

/**
 * `fast` for tests. `real`: a pool that lacks resources keeps its operation running for 30 minutes and more (kubernetes-sigs/cluster-api-provider-gcp
 * issue 1363). Google documents no time for a change to reach its load balancers. A user of GKE found that pods have to serve for 10 s after a health
 * check that takes 6 s begins to fail, which leaves 3 to 4 s for an unhealthy member, and the same 10 s are taken for a detachment. All others are what
 * one commonly sees, with no promise of Google behind them.
 */
export const presets = {
  fast: {
    operationStartMs: 200,
    settingsMs: 800,
    poolDeleteMs: 1_000,
    poolCreateTimeoutMs: 60_000,
    instanceBootMs: 2_000,
    instanceTerminationMs: 2_000,
    launchRetryMs: 3_000,
    computeOperationMs: 300,
    firstHealthMs: 1_000,
    attachPropagationMs: 1_000,
    healthyPropagationMs: 500,
    unhealthyPropagationMs: 1_000,
    detachPropagationMs: 3_000,
    drainShare: 1,
  },
  real: {
    operationStartMs: 2_000,
    settingsMs: 20_000,
    poolDeleteMs: 60_000,
    poolCreateTimeoutMs: 2_100_000,
    instanceBootMs: 40_000,
    instanceTerminationMs: 60_000,
    launchRetryMs: 30_000,
    computeOperationMs: 5_000,
    firstHealthMs: 10_000,
    attachPropagationMs: 10_000,
    healthyPropagationMs: 2_000,
    unhealthyPropagationMs: 3_000,
    detachPropagationMs: 10_000,
    drainShare: 1,
  },
} as const satisfies Record<string, GcpDelays>;
