/** Processes that can be suspended (Auto Scaling user guide, "Suspend and resume processes"). */
export const scalingProcesses = [
  'Launch',
  'Terminate',
  'AddToLoadBalancer',
  'AlarmNotification',
  'AZRebalance',
  'HealthCheck',
  'InstanceRefresh',
  'ReplaceUnhealthy',
  'ScheduledActions',
] as const;

/** A process that can be suspended. */
export type ScalingProcess = (typeof scalingProcesses)[number];

/** Life of an instance inside its group (Auto Scaling user guide, "Instance lifecycle"). */
type LifecycleState =
  | 'Pending'
  | 'InService'
  | 'Terminating'
  | 'Terminating:Wait'
  | 'Terminating:Proceed'
  | 'Terminated';

/** An instance as its Auto Scaling group sees it. */
export interface GroupMember {
  readonly instanceId: string;
  readonly zone: string;
  readonly instanceType: string;
  lifecycle: LifecycleState;
  health: 'Healthy' | 'Unhealthy';
  protectedFromScaleIn: boolean;
}

/** One entry of the group's history. */
export interface ScalingActivity {
  readonly id: string;
  readonly description: string;
  readonly cause: string;
  readonly instanceId: string | undefined;
  readonly startedAt: number;
  endedAt: number | undefined;
  status: 'InProgress' | 'Successful' | 'Failed';
  message: string | undefined;
}

/** An Auto Scaling group. */
export interface AutoScalingGroup {
  readonly name: string;
  readonly nodegroup: string;
  readonly subnetIds: readonly string[];
  readonly launchTemplateId: string;
  readonly createdAt: number;
  readonly tags: Map<string, { readonly value: string; readonly propagate: boolean }>;
  readonly members: Map<string, GroupMember>;
  readonly suspended: Map<ScalingProcess, string>;
  /** Newest first. */
  readonly activities: ScalingActivity[];
  min: number;
  max: number;
  desired: number;
  newInstancesProtected: boolean;
  /**
   * How long its hook keeps an instance that is to be terminated, unless its action is completed before; 0 without one. EC2 says `running` meanwhile. EKS
   * gives each managed node group such a hook of 30 minutes (`Terminate-LC-Hook`), and completes its action once it has drained the node.
   */
  terminationHookMs: number;
  /** A launch failed, so none is attempted for a while. */
  launchesPause: boolean;
  /** One instance more than desired was launched to rebalance the zones, and the other has not been terminated yet. */
  rebalancing: boolean;
  /** The group existed before the scenario begins: its first instances run at once. */
  prewarmed: boolean;
  deleting: boolean;
}
