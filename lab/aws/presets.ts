import type { CloudDelays } from '../contracts.ts';

/** All delays of the simulated AWS: those that every part of the lab knows, and its own. Milliseconds. */
export interface AwsDelays extends CloudDelays {
  /** A node group that is not complete by then becomes CREATE_FAILED. */
  readonly nodegroupCreateTimeoutMs: number;
  /** Pause of an Auto Scaling group after a failed launch. */
  readonly launchRetryMs: number;
  /** From the termination of an instance until the load balancers deregister it on their own. */
  readonly terminatedTargetMs: number;
  /** From UpdateNodegroupConfig to `Successful`. */
  readonly nodegroupUpdateMs: number;
  /** From a change of an Auto Scaling group by others until EKS has the same sizes for the node group. */
  readonly nodegroupSizesMs: number;
  /** How long a terminated instance is still returned by DescribeInstances. */
  readonly terminatedVisibleMs: number;
}

const fast: AwsDelays = {
  instanceBootMs: 2_000,
  instanceTerminationMs: 2_000,
  nodegroupCreateMs: 1_000,
  nodegroupDeleteMs: 1_000,
  registrationMs: 4_000,
  deregistrationPropagationMs: 6_000,
  unhealthyPropagationMs: 3_000,
  healthyPropagationMs: 500,
  nodegroupCreateTimeoutMs: 60_000,
  launchRetryMs: 3_000,
  terminatedTargetMs: 10_000,
  nodegroupUpdateMs: 500,
  nodegroupSizesMs: 0,
  terminatedVisibleMs: 3_600_000,
};

/**
 * Values as published or reported for the real thing:
 * - registration: 90-180 s until health checks count (kubernetes-sigs/aws-load-balancer-controller issue 1834);
 * - deregistration: new connections for about 120 s more (Network Load Balancer guide, "Deregistration delay", which
 *   recommends at least 120 s because of propagation; aws/containers-roadmap issue 470 measured about 120 s);
 * - unhealthy: new connections for 30-40 s more (aws/containers-roadmap issue 470);
 * - create timeout: a managed node group gives up on nodes that don't join after about 20 minutes (EKS user guide,
 *   "Managed node group errors", NodeCreationFailure, tells of 15 minutes and more);
 * - sizes: EKS checks a new minimum against the desired size that it knows, not that of the group (terraform-aws-eks issue
 *   835, terraform-provider-aws issue 18310);
 * - a terminated instance stays visible for about an hour (EC2 user guide, "Terminate your instance").
 * The others are what one commonly sees, with no promise of AWS behind them.
 */
const real: AwsDelays = {
  instanceBootMs: 45_000,
  instanceTerminationMs: 60_000,
  nodegroupCreateMs: 60_000,
  nodegroupDeleteMs: 120_000,
  registrationMs: 120_000,
  deregistrationPropagationMs: 120_000,
  unhealthyPropagationMs: 35_000,
  healthyPropagationMs: 5_000,
  nodegroupCreateTimeoutMs: 1_200_000,
  launchRetryMs: 30_000,
  terminatedTargetMs: 60_000,
  nodegroupUpdateMs: 30_000,
  nodegroupSizesMs: 60_000,
  terminatedVisibleMs: 3_600_000,
};

/** Complete sets of delays by name: `fast` for demo and tests, `real` for a rehearsal at AWS's own pace. */
export const presets = { fast, real } as const;
