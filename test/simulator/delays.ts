/** How fast the simulated world is. All ms. */
export interface Delays {
  readonly boot: number;
  readonly nodeReady: number;
  readonly cloudController: number;
  /** The controller syncs one Service after another, and each takes that long; 0: all at once. */
  readonly serviceSync: number;
  readonly registration: number;
  /** New connections still arrive for this long after deregistration. */
  readonly propagation: number;
  readonly deregistration: number;
  readonly healthInterval: number;
  readonly healthThreshold: number;
  readonly endpoints: number;
  readonly podReady: number;
  readonly podGone: number;
  readonly instanceGone: number;
  readonly nodeForgotten: number;
  readonly connectionAge: number;
  /** From the request for a pool to its Auto Scaling group. */
  readonly autoScalingGroup: number;
  /** A pool that is not complete by then has failed (EKS user guide, "Managed node group errors": 15 minutes and more). */
  readonly poolCreationTimeout: number;
  /** Time between two health checks of Auto Scaling. */
  readonly instanceCheck: number;
}

/** Delays in the proportions of AWS, short enough to read in a log. */
export const defaultDelays: Delays = {
  boot: 40_000,
  nodeReady: 10_000,
  cloudController: 1_000,
  serviceSync: 0,
  registration: 60_000,
  propagation: 45_000,
  deregistration: 60_000,
  healthInterval: 5_000,
  healthThreshold: 2,
  endpoints: 1_500,
  podReady: 4_000,
  podGone: 2_000,
  instanceGone: 5_000,
  nodeForgotten: 40_000,
  connectionAge: 90_000,
  autoScalingGroup: 2_000,
  poolCreationTimeout: 25 * 60_000,
  instanceCheck: 60_000,
};
