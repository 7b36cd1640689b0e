import logUpdate from 'log-update';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { connectTemporal, type TemporalConnection } from '../connect.ts';
import { fetchReport, fetchRun } from '../fetch-status.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { describeChanges } from '../view/changes.ts';
import { renderReport } from '../view/report.ts';
import { renderTree } from '../view/tree.ts';

/** Time between two looks at a run, ms. */
const refreshMs = 1000;

/** What a watch may be told. */
export interface WatchOptions {
  readonly output: OutputFormat;
  /** End with exit code 3 as soon as a human is needed, for pipelines. */
  readonly untilAttention: boolean;
  /** Give up watching (not the run) after this long, ms. */
  readonly timeoutMs: number | undefined;
}

/** Watches a run until it ends: a live tree on a terminal, one line per change elsewhere. Ctrl-C detaches only. */
export async function watchCommand(target: RunTarget, options: WatchOptions): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    return await watchRun(connection, target, options);
  } finally {
    await connection.close();
  }
}

/** Same as watchCommand over an open connection. */
export async function watchRun(
  connection: TemporalConnection,
  target: RunTarget,
  options: WatchOptions,
): Promise<ExitCode> {
  const detach = new AbortController();
  const onInterrupt = () => detach.abort();
  process.once('SIGINT', onInterrupt);
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
  const style = styleFor(process.stderr);
  const live = Boolean(process.stderr.isTTY);
  const stopAt = options.timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + options.timeoutMs;
  let before: RunStatus | undefined;
  for (;;) {
    const { status, running } = await fetchRun(connection, target);
    if (live) logUpdate(renderTree(status, Date.now(), style).join('\n'));
    else for (const line of describeChanges(before, status)) printProgress(line);
    before = status;
    if (!running) break;
    if (options.untilAttention && (status.needsAttention || status.paused)) return exitCodes.needsHuman;
    if (Date.now() >= stopAt) return ended(target, 'Stopped watching after the timeout', exitCodes.timedOut);
    await pause(refreshMs, detach);
    if (detach.aborted) return ended(target, 'Detached', exitCodes.detached);
  }
  if (live) logUpdate.done();
  const report = await fetchReport(connection, target);
  printData(options.output, report, () => renderReport(report, styleFor(process.stdout)).join('\n'));
  return exitCodeOfReport(report);
}

function ended(target: RunTarget, what: string, code: ExitCode): ExitCode {
  const name = formatRunTarget(target);
  printProgress(`\n${what}; the run goes on. Come back: nodeferry watch ${name}   Stop it: nodeferry pause ${name}`);
  return code;
}

/** Exit code that a finished run stands for. */
export function exitCodeOfReport(report: RunReport): ExitCode {
  switch (report.outcome) {
    case 'completed':
      return report.traffic.lost > 0 ? exitCodes.lossy : exitCodes.ok;
    case 'aborted':
      return exitCodes.aborted;
    case 'failed':
      return exitCodes.failed;
  }
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
