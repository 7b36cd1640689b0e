import logUpdate from 'log-update';
import { NodeferryError, type Problem } from '../../core/model/problem.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { formatTime } from '../../core/text/format.ts';
import type { ClosedRun } from '../closed-run.ts';
import { connectTemporal, type TemporalConnection } from '../connect.ts';
import { type FetchedRun, fetchRun } from '../fetch-status.ts';
import { isUnreachable } from '../no-answer.ts';
import { exitCodeOfReport } from '../output/exit-code-of-report.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { pause, unlessAborted, untilInterrupted } from '../output/interrupt.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { legible, styleFor } from '../output/style.ts';
import { formatNamedRun, formatRunTarget, type NamedRun } from '../run-target.ts';
import { describeChanges } from '../view/changes.ts';
import { renderReport } from '../view/report.ts';
import { explainEnd, needsOperator, nextSteps } from '../view/seen-run.ts';
import { renderTree } from '../view/tree.ts';
import { createLines, type leaveReasons, type WatchLine } from '../watch-lines.ts';

/** Time between two polls of a run, ms. */
const refreshMs = 1000;

/** Options of `watch`. */
export interface WatchOptions {
  /** How the report is printed in the end. */
  readonly output: OutputFormat;
  /** Print what is observed as one JSON object a line on stdout, instead of drawing it on stderr. */
  readonly asLines: boolean;
  /** End with exit code 3 as soon as an operator is needed, for pipelines. */
  readonly untilStalled: boolean;
  /** Stop watching (not the run) after this long, ms. */
  readonly timeoutMs: number | undefined;
}

/** Watches a run until it ends: a live tree on a terminal, one line per change elsewhere. Ctrl-C detaches only. */
export async function watchCommand(target: NamedRun, options: WatchOptions): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    return await monitorRun(connection, target, options);
  } finally {
    await connection.close();
  }
}

/** The same as watchCommand over an open connection. */
export async function monitorRun(
  connection: TemporalConnection,
  target: NamedRun,
  options: WatchOptions,
): Promise<ExitCode> {
  return await untilInterrupted(async (detach) => await follow(connection, target, options, detach));
}

async function follow(
  connection: TemporalConnection,
  target: NamedRun,
  options: WatchOptions,
  detach: AbortSignal,
): Promise<ExitCode> {
  const screen = options.asLines ? createLineScreen() : createScreen(options.output);
  const stopAt = options.timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + options.timeoutMs;
  for (;;) {
    const run = await unlessAborted(detach, observation(connection, target));
    if (run === undefined) {
      screen.left('interrupt', exitCodes.detached);
      return left(target, 'Detached', exitCodes.detached);
    }
    screen.show(run);
    if (!(run instanceof NodeferryError)) {
      const { status, running } = run;
      if (!running) return screen.end(run);
      if (options.untilStalled && needsOperator(status)) {
        screen.left('stalled', exitCodes.stalled);
        return exitCodes.stalled;
      }
    }
    if (Date.now() >= stopAt) {
      screen.left('timeout', exitCodes.timedOut);
      return left(target, 'Stopped watching after the timeout', exitCodes.timedOut);
    }
    await pause(refreshMs, detach);
  }
}

/** Polls the run. If nothing answers at the moment, that is shown and not thrown: a worker or a server may be started again. */
async function observation(connection: TemporalConnection, target: NamedRun): Promise<FetchedRun | NodeferryError> {
  try {
    return await fetchRun(connection, target);
  } catch (error) {
    if (isUnreachable(error)) return error;
    throw error;
  }
}

function draw(lines: readonly string[]): void {
  logUpdate(legible(lines.join('\n')));
}

/** Where a watch shows what it observes, and how it ends. */
interface Screen {
  readonly show: (run: FetchedRun | NodeferryError) => void;
  readonly end: (run: ClosedRun) => ExitCode;
  /** The watch ends before the run. */
  readonly left: (reason: (typeof leaveReasons)[number], code: ExitCode) => void;
}

/** One JSON object a line on stdout. */
function createLineScreen(): Screen {
  const lines = createLines();
  const write = (line: WatchLine) => void process.stdout.write(`${JSON.stringify(line)}\n`);
  return {
    show: (run) => {
      const now = Date.now();
      (run instanceof NodeferryError ? lines.unreachable(run.problem, now) : lines.observed(run, now)).forEach(write);
    },
    end: (run) => {
      const code = exitCodeOfEnd(run);
      write(lines.ended(run, code, Date.now()));
      return code;
    },
    left: (reason, exitCode) => write({ type: 'left', at: Date.now(), exitCode, reason }),
  };
}

/** A live tree on a terminal, one line per change otherwise; in the end the report. */
function createScreen(output: OutputFormat): Screen {
  const style = styleFor(process.stderr);
  // A terminal without a size does not show what is redrawn.
  const live = process.stderr.isTTY && process.stderr.rows > 0;
  let before: RunStatus | undefined;
  let silent: { readonly problem: Problem; readonly since: number } | undefined;

  function printSilence({ problem }: NodeferryError): void {
    const isNews = silent?.problem.message !== problem.message;
    silent = { problem, since: isNews || silent === undefined ? Date.now() : silent.since };
    const words = `Waiting since ${formatTime(silent.since)} UTC: ${problem.message}`;
    if (live) {
      const tree = before === undefined ? [] : renderTree(before, silent.since, style);
      draw([...tree, style.paint('warn', words), `fix: ${problem.hint ?? ''}`]);
    } else if (isNews) printProgress(`${words}\n  fix: ${problem.hint ?? ''}`);
  }

  return {
    show: (run) => {
      if (run instanceof NodeferryError) return printSilence(run);
      if (silent !== undefined && !live) printProgress('It answers again.');
      silent = undefined;
      if (live) draw(renderTree(run.status, Date.now(), style));
      else for (const line of describeChanges(before, run.status)) printProgress(line);
      before = run.status;
    },
    end: (run) => {
      if (live) logUpdate.done();
      return showEnd(run, output);
    },
    left: () => undefined,
  };
}

/** Shows how a run has ended: its report, as data unless `show` does it in another way, and what to do next if it failed or has no report. */
export function showEnd(
  { status, report }: ClosedRun,
  output: OutputFormat,
  show = (data: RunReport) => printData(output, data, () => renderReport(data, styleFor(process.stdout)).join('\n')),
): ExitCode {
  if (report === undefined) {
    for (const line of explainEnd(status)) printProgress(line);
    return exitCodes.failed;
  }
  show(report);
  for (const line of nextSteps(status, report.leftovers)) printProgress(line);
  return exitCodeOfReport(report);
}

function left(target: NamedRun, what: string, code: ExitCode): ExitCode {
  printProgress(
    `\n${what}; the run continues. Watch it again: nodeferry watch ${formatNamedRun(target)}   Stop it: nodeferry pause ${formatRunTarget(target)}`,
  );
  return code;
}

/** The exit code for a run that has ended, with or without a report. */
export function exitCodeOfEnd({ report }: ClosedRun): ExitCode {
  return report === undefined ? exitCodes.failed : exitCodeOfReport(report);
}
