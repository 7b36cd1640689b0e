/** The lines of `watch -o json`: one object a line, written at once. */
import type { Problem } from '../core/model/problem.ts';
import type { RunReport, RunStatus } from '../core/status/status.ts';
import type { ClosedRun } from './closed-run.ts';
import type { FetchedRun } from './fetch-status.ts';
import type { ExitCode } from './output/exit-codes.ts';
import { changesBetween } from './view/changes.ts';
import type { SeenRun } from './view/seen-run.ts';

/** Why a watch ends before its run. */
export const leaveReasons = ['interrupt', 'timeout', 'stalled'] as const;

/** One line. Times are epoch ms. */
export type WatchLine =
  /** The whole status: first, and whenever the run answers again. */
  | { readonly type: 'snapshot'; readonly at: number; readonly status: SeenRun }
  | { readonly type: 'change'; readonly at: number; readonly node?: string; readonly text: string }
  /** Nothing answers at the moment; the watch goes on. */
  | { readonly type: 'unreachable'; readonly at: number; readonly problem: Problem }
  /** The run has ended. A run that was ended from outside has no report, and its last status instead. */
  | {
      readonly type: 'ended';
      readonly at: number;
      readonly exitCode: number;
      readonly report?: RunReport;
      readonly status?: SeenRun;
    }
  /** The watch has ended, and the run continues. */
  | {
      readonly type: 'left';
      readonly at: number;
      readonly exitCode: number;
      readonly reason: (typeof leaveReasons)[number];
    };

/** Makes the lines of a watch out of what it observes. */
export function createLines() {
  let before: RunStatus | undefined;
  let silent: string | undefined;
  return {
    observed({ status }: FetchedRun, at: number): readonly WatchLine[] {
      const known = silent === undefined ? before : undefined;
      silent = undefined;
      before = status;
      if (known === undefined) return [{ type: 'snapshot', at, status }];
      return changesBetween(known, status).map((change) => ({ type: 'change', at, ...change }));
    },
    unreachable(problem: Problem, at: number): readonly WatchLine[] {
      if (silent === problem.message) return [];
      silent = problem.message;
      return [{ type: 'unreachable', at, problem }];
    },
    ended({ status, report }: ClosedRun, exitCode: ExitCode, at: number): WatchLine {
      return { type: 'ended', at, exitCode, ...(report === undefined ? { status } : { report }) };
    },
  };
}
