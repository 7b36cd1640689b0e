import { formatTime } from '../../core/text/format.ts';
import { type Fields, numberIn, objectIn, textIn } from './history.ts';
import { explainProblem, toProblem } from './problems.ts';
import type { Happening } from './run-event.ts';

/**
 * What a run has published about why it needs an operator. Pauses of operators are told by their requests, so only those of the run itself are told
 * here; and problems of nodes by their nodes, whose messages are `stalledNodes`.
 */
export function needsEvents(before: Fields, after: Fields, stalledNodes: ReadonlySet<string>): readonly Happening[] {
  return [
    ...pauseEvents(objectIn(before, 'paused'), objectIn(after, 'paused')),
    ...approvalEvents(objectIn(before, 'approval'), objectIn(after, 'approval')),
    ...stallEvents(objectIn(before, 'stalled'), objectIn(after, 'stalled'), stalledNodes),
  ];
}

function pauseEvents(before: Fields, after: Fields): readonly Happening[] {
  const by = textIn(after, 'by');
  const reason = textIn(after, 'reason') ?? '';
  if (by !== 'nodeferry' || before['at'] === after['at']) return [];
  return [{ type: 'operator-action', action: 'pause', by, reason, message: `pause by ${by}: ${reason}` }];
}

function approvalEvents(before: Fields, after: Fields): readonly Happening[] {
  const of = textIn(after, 'of');
  if (of === undefined || before['since'] === after['since']) return [];
  const until = numberIn(after, 'until');
  const message = `waits for approval of ${of}${until === undefined ? '' : ` until ${formatTime(until)} UTC`}`;
  return [{ type: 'approval-requested', of, message, ...(until === undefined ? {} : { until }) }];
}

function stallEvents(before: Fields, after: Fields, stalledNodes: ReadonlySet<string>): readonly Happening[] {
  const problem = toProblem(after);
  if (problem === undefined)
    return toProblem(before) === undefined ? [] : [{ type: 'stall-ended', message: 'no longer stalled' }];
  const isOfNode = [...stalledNodes].some((message) => message.startsWith(problem.message));
  if (isOfNode || before['message'] === problem.message) return [];
  return [{ type: 'stalled', problem, message: `stalled: ${explainProblem(problem)}` }];
}
