import { randomHex } from '../random.ts';
import type { World } from '../world.ts';
import type { AutoScalingGroup, ScalingActivity } from './state.ts';

/** Records the start of a scaling activity in the group's history. */
export function startActivity(
  world: World,
  group: AutoScalingGroup,
  description: string,
  cause: string,
  instanceId?: string,
): ScalingActivity {
  const hex = (digits: number) => randomHex(world.random, digits);
  const activity: ScalingActivity = {
    id: `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    description,
    cause: `At ${new Date(world.clock.now()).toISOString()} ${cause}`,
    instanceId,
    startedAt: world.clock.now(),
    endedAt: undefined,
    status: 'InProgress',
    message: undefined,
  };
  group.activities.unshift(activity);
  return activity;
}

/** Records the end of the running activities of an instance. */
export function endActivities(world: World, group: AutoScalingGroup, instanceId: string): void {
  for (const activity of group.activities) {
    if (activity.instanceId !== instanceId || activity.status !== 'InProgress') continue;
    activity.status = 'Successful';
    activity.endedAt = world.clock.now();
  }
}

/**
 * Records a launch that EC2 refused, worded as in the Auto Scaling user guide, "Troubleshoot Amazon EC2 Auto Scaling: EC2 instance launch failures".
 */
export function failedLaunch(world: World, group: AutoScalingGroup, cause: string, instanceType: string, zone: string) {
  const activity = startActivity(world, group, 'Launching a new EC2 instance.  Status Reason: no capacity', cause);
  activity.status = 'Failed';
  activity.endedAt = world.clock.now();
  activity.message =
    'Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not have sufficient ' +
    `${instanceType} capacity in the Availability Zone you requested (${zone}). Launching EC2 instance failed.`;
}
