import { NodeferryError } from '../../../core/model/problem.ts';
import { connectTemporal, type TemporalConnection } from '../../connect.ts';
import { askInBatches } from '../../in-batches.ts';
import { type ExitCode, exitCodes } from '../../output/exit-codes.ts';
import { type OutputFormat, printData, printProgress } from '../../output/print.ts';
import { styleFor } from '../../output/style.ts';
import type { RunTarget } from '../../run-target.ts';
import { renderSchedules } from '../../schedule/render-schedule.ts';
import { listSchedules } from '../../schedule/schedules.ts';
import { fetchSchedule, type SeenSchedule } from '../../schedule/seen-schedule.ts';
import { drawSchedule } from './shared.ts';

/** Prints one line for each schedule, of one cluster or of all. */
export async function listSchedulesCommand(options: {
  readonly cluster: string | undefined;
  readonly output: OutputFormat;
}): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const targets = await listSchedules(connection, options.cluster);
    const schedules = await fetchAll(connection, targets, Date.now());
    if (schedules.length === 0)
      printProgress('There is no schedule. Create one: nodeferry schedule create -f policy.yaml');
    if (schedules.length === 0 && options.output === 'table') return exitCodes.ok;
    printData(options.output, schedules, () => renderSchedules(schedules, styleFor(process.stdout)).join('\n'));
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

/** Prints one schedule. The exit code says whether it is paused, as that of `status` does for a run. */
export async function describeScheduleCommand(
  target: RunTarget,
  { output }: { readonly output: OutputFormat },
): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const now = Date.now();
    const seen = await fetchSchedule(connection, target, now);
    printData(output, seen, () => drawSchedule(seen, now).join('\n'));
    return seen.paused ? exitCodes.stalled : exitCodes.ok;
  } finally {
    await connection.close();
  }
}

/** Temporal's list has neither the policy nor how launches ended, and what it has may be old: each schedule is read by itself. */
async function fetchAll(
  connection: TemporalConnection,
  targets: readonly RunTarget[],
  now: number,
): Promise<readonly SeenSchedule[]> {
  const seen = await askInBatches(targets, async (target) => await fetchListed(connection, target, now));
  return seen.filter((one) => one !== undefined);
}

/** Undefined for a schedule that was deleted meanwhile. */
async function fetchListed(
  connection: TemporalConnection,
  target: RunTarget,
  now: number,
): Promise<SeenSchedule | undefined> {
  try {
    return await fetchSchedule(connection, target, now);
  } catch (error) {
    if (error instanceof NodeferryError && error.problem.code === 'PoolNotFound') return undefined;
    throw error;
  }
}
