import { maxWindowMs, temporalScheduleSpec } from '../../core/schedule/temporal-spec.ts';
import type { ZoneRules } from '../../core/schedule/zone.ts';
import { upgradeSummary } from '../../core/status/run-summary.ts';
import type { LauncherInput } from '../../workflows/launcher-messages.ts';
import { attributesOf, scheduleId, workflowTypes } from '../../workflows/messages.ts';
import { formatRunTarget, runTargetOf } from '../run-target.ts';
import type { ScheduledPolicy } from './scheduled-policy.ts';

/** The shortest catch-up window that Temporal accepts, ms (temporalio/temporal, service/worker/scheduler: MinCatchupWindow). */
const minCatchupMs = 10_000;

/** What a Temporal Schedule is made from, apart from its policy. */
interface Circumstances {
  /** The rules of the policy's time zone. */
  readonly zone: ZoneRules;
  /** Epoch ms. */
  readonly now: number;
  readonly taskQueue: string;
}

/** The settings of a pool's Temporal Schedule, the same for its creation and for later updates. */
export type ScheduleSettings = ReturnType<typeof settingsOf>;

/**
 * The settings of a pool's Temporal Schedule. It starts a launcher at each opening, never a second one beside the first, and pauses when one
 * fails. After an outage, an opening that was missed still counts for as long as the longest window lasts; the default would be a year.
 */
export function settingsOf(policy: ScheduledPolicy, { zone, now, taskQueue }: Circumstances) {
  const target = runTargetOf(policy);
  const id = scheduleId(target.cluster, target.pool);
  const input: LauncherInput = { schedule: id, policy };
  return {
    spec: temporalScheduleSpec(policy.schedule, zone, now),
    action: {
      type: 'startWorkflow' as const,
      workflowType: workflowTypes.windowLauncher,
      // Temporal adds the time of the opening.
      workflowId: `window-launcher/${formatRunTarget(target)}`,
      taskQueue,
      args: [input],
      typedSearchAttributes: attributesOf(target.cluster, target.pool),
      staticSummary: upgradeSummary(policy),
    },
    policies: {
      overlap: 'SKIP' as const,
      catchupWindow: Math.max(minCatchupMs, maxWindowMs(policy.schedule, zone, now)),
      pauseOnFailure: true,
    },
    typedSearchAttributes: attributesOf(target.cluster, target.pool),
  };
}
