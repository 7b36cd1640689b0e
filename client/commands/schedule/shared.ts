import { zoneRulesOf } from '../../../adapters/time-zones/zone-rules.ts';
import type { TemporalConnection } from '../../connect.ts';
import { printProgress } from '../../output/print.ts';
import { styleFor } from '../../output/style.ts';
import type { Openings } from '../../schedule/openings.ts';
import { renderSchedule, warnAbout } from '../../schedule/render-schedule.ts';
import { type ScheduleSettings, settingsOf } from '../../schedule/schedule-settings.ts';
import type { ScheduledPolicy } from '../../schedule/scheduled-policy.ts';
import type { SeenSchedule } from '../../schedule/seen-schedule.ts';
import { taskQueue } from '../../task-queue.ts';
import { isPolled } from '../../worker-presence.ts';

/** The settings that a schedule of this policy has at `now`, epoch ms. */
export function settingsNow(policy: ScheduledPolicy, now: number): ScheduleSettings {
  return settingsOf(policy, { zone: zoneRulesOf(policy.schedule.timeZone), now, taskQueue: taskQueue() });
}

/** Draws a schedule for stdout. */
export function drawSchedule(seen: SeenSchedule, now: number): readonly string[] {
  return renderSchedule(seen, { now, zone: zoneRulesOf(seen.openings.timeZone) }, styleFor(process.stdout));
}

/** Warns of what would keep a schedule from starting anything: no openings, no worker. */
export async function printWarnings(connection: TemporalConnection, openings: Openings, queue: string): Promise<void> {
  const warnings = [...warnAbout(openings)];
  if (!(await isPolled(connection, queue)))
    warnings.push(`no worker polls task queue ${queue}: start one before the next opening (nodeferry worker)`);
  for (const warning of warnings) printProgress(`warning: ${warning}`);
}
