import { NodeferryError } from '../../core/model/problem.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { SchedulePolicy } from '../../core/schedule/schedule.ts';

/** A policy that has upgrade windows. */
export type ScheduledPolicy = Policy & { readonly schedule: SchedulePolicy };

/** Whether a policy has upgrade windows. */
export function isScheduled(policy: Policy): policy is ScheduledPolicy {
  return policy.schedule !== undefined;
}

/** @throws NodeferryError InvalidPolicy for a policy without upgrade windows */
export function requireSchedule(policy: Policy): ScheduledPolicy {
  if (isScheduled(policy)) return policy;
  throw new NodeferryError({
    code: 'InvalidPolicy',
    message: 'The policy has no spec.schedule, so there is nothing to schedule.',
    hint:
      'Add windows to spec.schedule (docs/windows.md), or start the upgrade now: nodeferry upgrade -f POLICY   ' +
      'or, if the pool needs its schedule no longer: nodeferry schedule delete CLUSTER/POOL',
  });
}
