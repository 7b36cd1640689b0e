import logUpdate from 'log-update';
import { NodeferryError, type Problem } from '../../core/model/problem.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { formatTime } from '../../core/text/format.ts';
import type { ClosedRun } from '../closed-run.ts';
import { connectTemporal, type TemporalConnection } from '../connect.ts';
import { type FetchedRun, fetchRun } from '../fetch-status.ts';
import { exitCodeOfReport } from '../output/exit-code-of-report.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { legible, styleFor } from '../output/style.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { describeChanges } from '../view/changes.ts';
import { renderReport } from '../view/report.ts';
import { explainEnd, needsOperator, nextSteps } from '../view/seen-run.ts';
import { renderTree } from '../view/tree.ts';

/** Time between two polls of a run, ms. */
const refreshMs = 1000;

/** Options of `watch`. */
export interface WatchOptions {
  readonly output: OutputFormat;
  /** End with exit code 3 as soon as an operator is needed, for pipelines. */
  readonly untilStalled: boolean;
  /** Stop watching (not the run) after this long, ms. */
  readonly timeoutMs: number | undefined;
}

/** Watches a run until it ends: a live tree on a terminal, one line per change elsewhere. Ctrl-C detaches only. */
export async function watchCommand(target: RunTarget, options: WatchOptions): Promise<ExitCode> {
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
  target: RunTarget,
  options: WatchOptions,
): Promise<ExitCode> {
  const detach = new AbortController();
  const onInterrupt = () => detach.abort();
  // Not `once`: the live view's own handler ends the process when it is the only one left (signal-exit).
  process.on('SIGINT', onInterrupt);
  try {
    return await follow(connection, target, options, detach.signal);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

async function follow(
  connection: TemporalConnection,
  target: RunTarget,
  options: WatchOptions,
  detach: AbortSignal,
): Promise<ExitCode> {
  const screen = createScreen();
  const stopAt = options.timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + options.timeoutMs;
  for (;;) {
    const run = await Promise.race([observation(connection, target), aborted(detach)]);
    if (run === undefined) return left(target, 'Detached', exitCodes.detached);
    screen.show(run);
    if (!(run instanceof NodeferryError)) {
      const { status, running } = run;
      if (!running) {
        screen.close();
        return showEnd(run, options.output);
      }
      if (options.untilStalled && needsOperator(status)) return exitCodes.stalled;
    }
    if (Date.now() >= stopAt) return left(target, 'Stopped watching after the timeout', exitCodes.timedOut);
    await pause(refreshMs, detach);
  }
}

/** Polls the run. If nothing answers at the moment, that is shown and not thrown: a worker or a server may be started again. */
async function observation(connection: TemporalConnection, target: RunTarget): Promise<FetchedRun | NodeferryError> {
  try {
    return await fetchRun(connection, target);
  } catch (error) {
    if (error instanceof NodeferryError && error.problem.code === 'TemporalUnreachable') return error;
    throw error;
  }
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  return await new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function draw(lines: readonly string[]): void {
  logUpdate(legible(lines.join('\n')));
}

/** Where a watch shows what it observes: a live tree on a terminal, one line per change otherwise. */
function createScreen() {
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
    show(run: FetchedRun | NodeferryError): void {
      if (run instanceof NodeferryError) return printSilence(run);
      if (silent !== undefined && !live) printProgress('It answers again.');
      silent = undefined;
      if (live) draw(renderTree(run.status, Date.now(), style));
      else for (const line of describeChanges(before, run.status)) printProgress(line);
      before = run.status;
    },
    close(): void {
      if (live) logUpdate.done();
    },
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

function left(target: RunTarget, what: string, code: ExitCode): ExitCode {
  const name = formatRunTarget(target);
  printProgress(
    `\n${what}; the run continues. Watch it again: nodeferry watch ${name}   Stop it: nodeferry pause ${name}`,
  );
  return code;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
