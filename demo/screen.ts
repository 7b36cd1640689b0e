/** What the demo shows: progress lines first, then the live tree with sent and lost requests below it. */
import { createLogUpdate } from 'log-update';
import { styleFor } from '../client/output/style.ts';
import { describeChanges } from '../client/view/changes.ts';
import { renderTree } from '../client/view/tree.ts';
import type { RunStatus } from '../core/status/status.ts';
import type { TrafficTruth } from '../lab/traffic/truth.ts';
import { addRequests } from './report.ts';

/** How often lines are printed where there is no terminal to redraw, ms. */
const plainEveryMs = 10_000;

/** The demo's screen. */
export interface Screen {
  progress(text: string): void;
  show(status: RunStatus | undefined, truths: readonly TrafficTruth[]): void;
  /** Keeps the last picture and continues below it. */
  done(): void;
}

/** A screen on stderr: redrawn on a terminal, lines elsewhere. Stdout is for the report. */
export function createScreen(startedAt = Date.now()): Screen {
  const style = styleFor(process.stderr);
  const live = process.stderr.isTTY ? createLogUpdate(process.stderr) : undefined;
  let before: RunStatus | undefined;
  let saidTrafficAt = 0;
  const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s`;
  const say = (text: string) => process.stderr.write(`${style.paint('dim', elapsed())}  ${text}\n`);
  return {
    progress(text) {
      // The live picture is drawn again below the line, not through it.
      live?.clear();
      say(text);
    },
    show(status, truths) {
      const traffic = describeTraffic(truths);
      if (live) {
        live([...(status ? renderTree(status, Date.now(), style) : []), traffic].join('\n'));
        return;
      }
      if (status) for (const line of describeChanges(before, status)) say(line);
      before = status;
      if (Date.now() - saidTrafficAt < plainEveryMs) return;
      saidTrafficAt = Date.now();
      say(traffic);
    },
    done: () => live?.done(),
  };

  function describeTraffic(truths: readonly TrafficTruth[]): string {
    const { requests } = addRequests(truths);
    const bad = requests.lost + requests.cut + requests.slow;
    const counts = `${requests.lost} lost, ${requests.cut} reset, ${requests.slow} slow`;
    return `traffic: ${requests.sent} sent, ${style.paint(bad > 0 ? 'bad' : 'good', counts)}`;
  }
}
