import { NodeferryError, type Problem } from '../../../core/model/problem.ts';
import { connectTemporal, type TemporalConnection } from '../../connect.ts';
import { askInBatches } from '../../in-batches.ts';
import { type ExitCode, exitCodes } from '../../output/exit-codes.ts';
import { type OutputFormat, printData, printProgress } from '../../output/print.ts';
import { styleFor } from '../../output/style.ts';
import { formatRunTarget, type RunTarget } from '../../run-target.ts';
import { renderSchedules } from '../../schedule/render-schedule.ts';
import { listSchedules } from '../../schedule/schedules.ts';
import { fetchSchedule, type SeenSchedule } from '../../schedule/seen-schedule.ts';
import { drawSchedule } from './shared.ts';

/** Prints one line for each schedule, of one cluster or of all. Those that cannot be read are named on stderr, with exit code 1. */
export async function listSchedulesCommand(options: {
  readonly cluster: string | undefined;
  readonly output: OutputFormat;
}): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const targets = await listSchedules(connection, options.cluster);
    const { schedules, unreadable } = await fetchAll(connection, targets, Date.now());
    if (schedules.length === 0 && unreadable.length === 0)
      printProgress('There is no schedule. Create one: nodeferry schedule create -f policy.yaml');
    if (schedules.length > 0 || options.output !== 'table')
      printData(options.output, schedules, () => renderSchedules(schedules, styleFor(process.stdout)).join('\n'));
    for (const { target, problem } of unreadable)
      printProgress(
        `The schedule of ${formatRunTarget(target)} cannot be read: ${problem.message}\n  fix: ${problem.hint ?? ''}`,
      );
    return unreadable.length === 0 ? exitCodes.ok : exitCodes.failed;
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

/** A schedule that is listed and cannot be read. */
interface UnreadableSchedule {
  readonly target: RunTarget;
  readonly problem: Problem;
}

/** A policy that lacks what every policy of this version has. */
const unknownForm: Problem = {
  code: 'InvalidPolicy',
  message: 'its policy is not of a form that this version knows',
  hint: 'Store its policy anew: nodeferry schedule apply -f POLICY   or use the version that has written it',
};

/** Temporal's list has neither the policy nor how launches ended, and what it has may be old: each schedule is read by itself. */
async function fetchAll(connection: TemporalConnection, targets: readonly RunTarget[], now: number) {
  const seen = await askInBatches(targets, async (target) => await fetchListed(connection, target, now));
  return {
    schedules: seen.filter((one): one is SeenSchedule => one !== undefined && !('problem' in one)),
    unreadable: seen.filter((one) => one !== undefined && 'problem' in one),
  };
}

/** Undefined for a schedule that was deleted meanwhile. */
async function fetchListed(
  connection: TemporalConnection,
  target: RunTarget,
  now: number,
): Promise<SeenSchedule | UnreadableSchedule | undefined> {
  try {
    return await fetchSchedule(connection, target, now);
  } catch (error) {
    if (error instanceof TypeError) return { target, problem: unknownForm };
    if (!(error instanceof NodeferryError) || error.problem.code === 'TemporalUnreachable') throw error;
    return error.problem.code === 'PoolNotFound' ? undefined : { target, problem: error.problem };
  }
}
