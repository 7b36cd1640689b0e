/** Describes a run once, for everything that prints it: the terminal, the details page, the log of a watch. */

import type { ExternalChange } from '../model/external-change.ts';
import { count, formatTime } from '../text/format.ts';
import { because, explainAction } from './because.ts';
import { describeNodes, type NodeRow } from './describe-nodes.ts';
import { describeTraffic } from './describe-traffic.ts';
import { explainWaiting } from './explain-waiting.ts';
import { allExternalChanges } from './external-changes.ts';
import type { Line, Tone } from './line.ts';
import { explainLosses, lostByUs } from './losses.ts';
import type { OperatorAction, RunStatus } from './status.ts';

/** A run in lines and rows. */
interface RunDescription {
  /** Why the run does not proceed, and how to continue: cause first, then the fix. */
  readonly alerts: readonly Line[];
  /** The protections that the policy disables. */
  readonly unprotected: readonly Line[];
  /** That the run goes, or has gone, back to its old pool. */
  readonly rollback: readonly Line[];
  /** Which upgrade window is open until when, or why none is waited for. Empty without windows. */
  readonly window: readonly Line[];
  /** What the run itself waits for. */
  readonly waiting: readonly Line[];
  readonly nodes: readonly NodeRow[];
  /** Counts, then what was lost. */
  readonly traffic: readonly Line[];
  /** External changes, the latest last. */
  readonly externalChanges: readonly Line[];
  /** What operators did, the latest last. */
  readonly actions: readonly Line[];
}

/** Describes a run. With `now` (epoch ms), times are given as durations; without it, as times of day (UTC). */
export function describeRun(status: RunStatus, now?: number): RunDescription {
  const { waiting, disabledRules } = status;
  return {
    alerts: alertsOf(status),
    unprotected:
      disabledRules.length === 0 ? [] : [{ tone: 'bad', text: `UNPROTECTED: disabled: ${disabledRules.join(', ')}` }],
    rollback: describeRollback(status),
    window: describeWindow(status),
    waiting: waiting === undefined ? [] : [{ tone: 'dim', text: explainWaiting(waiting, now) }],
    nodes: describeNodes(status.nodes),
    traffic: [
      { tone: toneOfTraffic(status), text: describeTraffic(status) },
      ...explainLosses(status.traffic).map((text): Line => ({ tone: undefined, text })),
    ],
    externalChanges: allExternalChanges(status).map(describeChange),
    actions: status.actions.map(describeAction),
  };
}

function describeRollback({ rollback, pool, phase }: RunStatus): readonly Line[] {
  if (rollback === undefined) return [];
  const by = because({ ...rollback, by: `${rollback.by} at ${formatTime(rollback.at)}` });
  const { nodes = [] } = rollback;
  const added = nodes.length === 0 ? '' : `; ${pool} got ${count(nodes.length, 'node')} again`;
  const how = phase === 'rolled-back' ? 'rolled back' : 'rolling back';
  return [{ tone: 'warn', text: `${how} to ${pool} by ${by}${added}` }];
}

/** While the run waits for a window, what it waits for says so already. */
function describeWindow({ window, windowOverride, finishedAt }: RunStatus): readonly Line[] {
  if (windowOverride !== undefined) {
    const by = `${windowOverride.by} at ${formatTime(windowOverride.at)}`;
    return [{ tone: 'warn', text: `upgrade windows: overridden by ${because({ ...windowOverride, by })}` }];
  }
  if (finishedAt !== undefined || window?.mayStart !== true) return [];
  return [{ tone: 'dim', text: `upgrade windows: ${window.detail}` }];
}

/** Why the run does not proceed, and how to continue. */
function alertsOf({ paused, stalled, phase }: RunStatus): readonly Line[] {
  const lines: Line[] = [];
  if (paused !== undefined)
    lines.push({
      tone: 'warn',
      text: `paused by ${because({ ...paused, by: `${paused.by} at ${formatTime(paused.at)}` })}`,
    });
  if (stalled === undefined) return lines;
  const { code, message, hint } = stalled;
  lines.push({ tone: 'bad', text: `${phase === 'failed' ? 'failed' : 'stalled'}: ${code}: ${message}` });
  if (hint !== undefined) lines.push({ tone: undefined, text: `fix: ${hint}` });
  return lines;
}

/** One external change. */
export function describeChange({ at, what }: ExternalChange): Line {
  return { tone: 'warn', text: `external change at ${formatTime(at)}: ${what}` };
}

function describeAction(action: OperatorAction): Line {
  return { tone: undefined, text: `${formatTime(action.at)} ${explainAction(action)}` };
}

function toneOfTraffic({ probes, traffic }: RunStatus): Tone {
  if (probes === 0) return 'warn';
  if (traffic.lost === 0) return 'good';
  return lostByUs(traffic) > 0 ? 'bad' : 'warn';
}
