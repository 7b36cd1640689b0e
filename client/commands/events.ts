import { NodeferryError } from '../../core/model/problem.ts';
import { formatTime } from '../../core/text/format.ts';
import { connectTemporal, type TemporalConnection } from '../connect.ts';
import type { LoggedEvent } from '../events/run-event.ts';
import { openRunLog, type RunLog } from '../events/run-log.ts';
import { answered, fetchClosed } from '../fetch-status.ts';
import { findRun } from '../find-run.ts';
import { isUnreachable } from '../no-answer.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { pause, unlessAborted, untilInterrupted } from '../output/interrupt.ts';
import { printProgress } from '../output/print.ts';
import { legible, styleFor } from '../output/style.ts';
import { formatNamedRun, formatRunTarget, type NamedRun } from '../run-target.ts';
import { renderEvent } from '../view/event-line.ts';
import { exitCodeOfEnd } from './watch.ts';

/** Time between two polls of a run that is followed, ms. */
const refreshMs = 2000;

/** Options of `events`. */
export interface EventsOptions {
  /** Until the run ends. */
  readonly follow: boolean;
  readonly output: 'table' | 'json';
}

/** Prints what has happened in a run, oldest first. Needs no worker. */
export async function eventsCommand(target: NamedRun, options: EventsOptions): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const log = await answered(target, async () => await openRunLog(connection, await findRun(connection, target)));
    if (options.follow) return await untilInterrupted((detach) => follow({ connection, target, log }, options, detach));
    const { events } = await answered(target, log.read);
    print(events, options);
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

/** A run whose log is open. */
interface Followed {
  readonly connection: TemporalConnection;
  readonly target: NamedRun;
  readonly log: RunLog;
}

async function follow(followed: Followed, options: EventsOptions, detach: AbortSignal): Promise<ExitCode> {
  const { connection, target, log } = followed;
  let silentSince: number | undefined;
  for (;;) {
    const found = await unlessAborted(detach, observation(target, log));
    if (found === undefined) return leave(target);
    if (found instanceof NodeferryError) {
      if (silentSince === undefined) printProgress(explainSilence(found, Date.now()));
      silentSince ??= Date.now();
    } else {
      if (silentSince !== undefined) printProgress('It answers again.');
      silentSince = undefined;
      print(found.events, options);
      if (found.hasEnded) return await codeOf(connection, { ...target, run: log.runId });
    }
    await pause(refreshMs, detach);
  }
}

/** Reads what is new. If nothing answers at the moment, that is told and not thrown: a server may be started again. */
async function observation(target: NamedRun, log: RunLog) {
  try {
    return await answered(target, log.read);
  } catch (error) {
    if (isUnreachable(error)) return error;
    throw error;
  }
}

function print(events: readonly LoggedEvent[], { output }: EventsOptions): void {
  const style = styleFor(process.stdout);
  for (const event of events)
    process.stdout.write(`${output === 'json' ? JSON.stringify(event) : legible(renderEvent(event, style))}\n`);
}

function explainSilence({ problem }: NodeferryError, now: number): string {
  return `Waiting since ${formatTime(now)} UTC: ${problem.message}\n  fix: ${problem.hint ?? ''}`;
}

async function codeOf(connection: TemporalConnection, target: NamedRun): Promise<ExitCode> {
  const run = await fetchClosed(connection, target);
  return 'status' in run ? exitCodeOfEnd(run) : exitCodes.ok;
}

function leave(target: NamedRun): ExitCode {
  printProgress(
    `\nDetached; the run continues. Follow it again: nodeferry events ${formatNamedRun(target)} -f   Stop it: nodeferry pause ${formatRunTarget(target)}`,
  );
  return exitCodes.detached;
}
