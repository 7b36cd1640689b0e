import { because } from '../../../core/status/because.ts';
import { connectTemporal, operatorName, type TemporalConnection } from '../../connect.ts';
import { confirm, requireTerminal } from '../../output/confirm.ts';
import { type ExitCode, exitCodes } from '../../output/exit-codes.ts';
import { type OutputFormat, printData, printProgress } from '../../output/print.ts';
import { formatRunTarget, type RunTarget } from '../../run-target.ts';
import { deleteSchedule, pauseSchedule, readSchedule, resumeSchedule } from '../../schedule/schedules.ts';
import { fetchSchedule, findRun } from '../../schedule/seen-schedule.ts';
import { drawSchedule } from './shared.ts';

/** Options of `schedule pause` and `schedule resume`. */
interface ReasonOptions {
  readonly reason: string;
  readonly output: OutputFormat;
}

/** Pauses a schedule: it starts no further upgrades. One that is under way continues. */
export async function pauseScheduleCommand(target: RunTarget, { reason, output }: ReasonOptions): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    // Temporal accepts a pause of any schedule, also of those that are none of ours.
    await readSchedule(connection, target);
    await pauseSchedule(connection, target, `paused by ${because({ by: operatorName(), reason })}`);
    const name = formatRunTarget(target);
    printProgress(`Paused: the schedule of ${name} starts no further upgrade.`);
    if ((await findRun(connection, target)) !== undefined)
      printProgress(`An upgrade of ${name} is under way and continues; to pause it too: nodeferry pause ${name}`);
    await printSchedule(connection, target, output);
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

/** Ends the pause of a schedule. Openings that have passed meanwhile are not caught up with. */
export async function resumeScheduleCommand(target: RunTarget, { reason, output }: ReasonOptions): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const { description } = await readSchedule(connection, target);
    const name = formatRunTarget(target);
    if (description.state.paused) {
      await resumeSchedule(connection, target, `resumed by ${because({ by: operatorName(), reason })}`);
      printProgress(`Resumed: the schedule of ${name} starts an upgrade at its next opening.`);
    } else {
      printProgress(`The schedule of ${name} is not paused; nothing was changed.`);
    }
    await printSchedule(connection, target, output);
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

/** Deletes a schedule, once the operator has confirmed it. */
export async function deleteScheduleCommand(
  target: RunTarget,
  { yes, output }: { readonly yes: boolean; readonly output: OutputFormat },
): Promise<ExitCode> {
  const name = formatRunTarget(target);
  if (!yes)
    requireTerminal(
      `The schedule of ${name} was not deleted`,
      `Do it without being asked: nodeferry schedule delete ${name} --yes`,
    );
  const connection = await connectTemporal();
  try {
    await readSchedule(connection, target);
    if (!yes && !(await confirm(`Delete the schedule of ${name}?`))) {
      printProgress('Nothing was changed.');
      return exitCodes.failed;
    }
    await deleteSchedule(connection, target);
    printProgress(`Deleted the schedule of ${name}.`);
    const run = await findRun(connection, target);
    if (run !== undefined)
      printProgress(
        `An upgrade of ${name} is under way and continues: nodeferry watch ${name}   or end it: nodeferry abort ${name}`,
      );
    const isUnderWay = run !== undefined;
    printData(output, { ...target, deleted: true, isUnderWay }, () => `${name}: deleted`);
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

async function printSchedule(connection: TemporalConnection, target: RunTarget, output: OutputFormat): Promise<void> {
  const now = Date.now();
  const seen = await fetchSchedule(connection, target, now);
  printData(output, seen, () => drawSchedule(seen, now).join('\n'));
}
