import { zoneRulesOf } from '../../../adapters/time-zones/zone-rules.ts';
import { connectTemporal, operatorName, type TemporalConnection } from '../../connect.ts';
import { type ExitCode, exitCodes } from '../../output/exit-codes.ts';
import { readPolicyFile } from '../../output/policy-file.ts';
import { type OutputFormat, printData, printProgress } from '../../output/print.ts';
import { styleFor } from '../../output/style.ts';
import { formatRunTarget, type RunTarget, runTargetOf } from '../../run-target.ts';
import { diffStored } from '../../schedule/diff-stored.ts';
import { readOpenings } from '../../schedule/read-openings.ts';
import { renderApplied, type ScheduleChange } from '../../schedule/render-applied.ts';
import { renderOpenings } from '../../schedule/render-schedule.ts';
import type { ScheduleSettings } from '../../schedule/schedule-settings.ts';
import { requireSchedule } from '../../schedule/scheduled-policy.ts';
import { createSchedule, findSchedule, replaceSchedule } from '../../schedule/schedules.ts';
import { taskQueue } from '../../task-queue.ts';
import { printWarnings, settingsNow } from './shared.ts';

/** Options of `schedule apply`. */
export interface ApplyOptions {
  readonly file: string;
  readonly dryRun: boolean;
  readonly output: OutputFormat;
}

/**
 * Creates the schedule of a pool, or updates it if it differs from the policy, and says in which fields. It stays paused if it is. Applying
 * the same policy again changes nothing.
 */
export async function applyScheduleCommand({ file, dryRun, output }: ApplyOptions): Promise<ExitCode> {
  const policy = requireSchedule(readPolicyFile(file));
  const target = runTargetOf(policy);
  const now = Date.now();
  const settings = settingsNow(policy, now);
  const connection = await connectTemporal();
  try {
    const stored = await findSchedule(connection, target);
    const differences = stored === undefined ? [] : diffStored(stored, policy, settings);
    const change: ScheduleChange = stored === undefined ? 'create' : differences.length > 0 ? 'update' : 'none';
    if (!dryRun) await execute(connection, change, target, settings);
    const openings = await readOpenings(policy, now);
    const paused = stored?.description.state.paused ?? false;
    const name = formatRunTarget(target);
    printData(output, { ...target, change, dryRun, paused, differences, openings }, () => {
      const style = styleFor(process.stdout);
      return [
        ...renderApplied({ name, change, dryRun, differences }, style),
        ...renderOpenings(openings, { now, zone: zoneRulesOf(openings.timeZone) }, style),
      ].join('\n');
    });
    if (paused) printProgress(`It is paused and stays so: ${stored?.description.state.note ?? ''}`);
    await printWarnings(connection, openings, taskQueue());
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

async function execute(
  connection: TemporalConnection,
  change: ScheduleChange,
  target: RunTarget,
  settings: ScheduleSettings,
): Promise<void> {
  switch (change) {
    case 'create':
      await createSchedule(connection, target, settings, { paused: false, note: `created by ${operatorName()}` });
      return;
    case 'update':
      await replaceSchedule(connection, target, settings);
      return;
    case 'none':
  }
}
