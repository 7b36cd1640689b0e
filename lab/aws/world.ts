import type { DataPlane, InstanceHooks } from '../contracts.ts';
import type { AutoScalingGroup } from './autoscaling/state.ts';
import type { Clock } from './clock.ts';
import type { Instance, LaunchTemplate, Network } from './ec2/state.ts';
import type { EksCluster, Nodegroup } from './eks/state.ts';
import type { LoadBalancer, TargetGroup } from './elbv2/state.ts';
import type { FaultState } from './faults.ts';
import type { AwsDelays } from './presets.ts';

/** The account that AWS's own documentation uses in examples. */
export const ACCOUNT_ID = '111122223333';

/** Everything that exists in the simulated cloud. Handlers change it; tests and the lab may read it. */
export interface World {
  readonly region: string;
  readonly zones: readonly string[];
  readonly delays: AwsDelays;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hooks: InstanceHooks;
  readonly dataPlane: DataPlane | undefined;
  readonly faults: FaultState;

  readonly cluster: EksCluster;
  readonly network: Network;
  /** By instance id, in order of launch; the others by name or ARN. */
  readonly instances: Map<string, Instance>;
  readonly launchTemplates: Map<string, LaunchTemplate>;
  readonly autoScalingGroups: Map<string, AutoScalingGroup>;
  readonly nodegroups: Map<string, Nodegroup>;
  readonly loadBalancers: Map<string, LoadBalancer>;
  readonly targetGroups: Map<string, TargetGroup>;
  /** When a target of the instance was last deregistered, epoch ms, by instance id. */
  readonly deregisteredAt: Map<string, number>;

  /** Called for every change of an instance's state; Auto Scaling and ELB listen. */
  readonly instanceListeners: ((instance: Instance) => void)[];
  /** Called when an Auto Scaling group's members or activities changed; EKS listens. */
  readonly groupListeners: ((group: AutoScalingGroup) => void)[];
  /** Called for every change of anything. */
  readonly changeListeners: Set<() => void>;
}

/** Notifies that something changed. */
export function notifyChange(world: World): void {
  for (const listener of world.changeListeners) listener();
}
