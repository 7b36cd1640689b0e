import { because } from '../../../core/status/because.ts';
import { connectTemporal, operatorName } from '../../connect.ts';
import { type ExitCode, exitCodes } from '../../output/exit-codes.ts';
import { readPolicyFile } from '../../output/policy-file.ts';
import { type OutputFormat, printData, printProgress } from '../../output/print.ts';
import { formatRunTarget, runTargetOf } from '../../run-target.ts';
import { requireSchedule } from '../../schedule/scheduled-policy.ts';
import { createSchedule } from '../../schedule/schedules.ts';
import { fetchSchedule } from '../../schedule/seen-schedule.ts';
import { taskQueue } from '../../task-queue.ts';
import { drawSchedule, printWarnings, settingsNow } from './shared.ts';

/** Options of `schedule create`. */
export interface CreateOptions {
  readonly file: string;
  readonly paused: boolean;
  readonly reason: string;
  readonly output: OutputFormat;
}

/** Creates the schedule of a pool, and prints when it will start upgrades. */
export async function createScheduleCommand({ file, paused, reason, output }: CreateOptions): Promise<ExitCode> {
  const policy = requireSchedule(readPolicyFile(file));
  const target = runTargetOf(policy);
  const now = Date.now();
  const settings = settingsNow(policy, now);
  const connection = await connectTemporal();
  try {
    const note = `created by ${because({ by: operatorName(), reason })}`;
    await createSchedule(connection, target, settings, { paused, note });
    const name = formatRunTarget(target);
    printProgress(`Created the schedule of ${name}${paused ? ', paused' : ''}.`);
    const seen = await fetchSchedule(connection, target, now);
    printData(output, seen, () => drawSchedule(seen, now).join('\n'));
    await printWarnings(connection, seen.openings, taskQueue());
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}
