import { type Fields, fieldsOf, firstOf, type HistoryEvent, listIn, textIn } from './history.ts';
import { explainProblem, problemOf } from './problems.ts';
import { type Happening, type RunEnd, runEnds } from './run-event.ts';
import { toChange } from './step-events.ts';

/** How a run has ended: preceded by what only its report knows. */
export function endOf(event: HistoryEvent): readonly Happening[] {
  const { workflowExecutionCompletedEventAttributes: completed } = event;
  if (completed) {
    const report = firstOf(completed.result);
    const outcome = runEnds.find((end) => end === report['outcome']) ?? 'completed';
    return [...ownEvents(report), { type: 'run-ended', outcome, message: outcome }];
  }
  const { workflowExecutionFailedEventAttributes: failed } = event;
  if (failed) {
    const problem = problemOf(failed.failure);
    const details = failed.failure?.applicationFailureInfo?.details?.payloads ?? [];
    const untold = details.map(fieldsOf).flatMap(ownEvents);
    return [
      ...untold,
      { type: 'run-ended', outcome: 'failed', problem, message: `failed: ${explainProblem(problem)}` },
    ];
  }
  const { workflowExecutionTerminatedEventAttributes: terminated } = event;
  if (terminated) return [endFromOutside('terminated', terminated.identity, terminated.reason)];
  if (event.workflowExecutionTimedOutEventAttributes) return [endFromOutside('timed-out')];
  if (event.workflowExecutionCanceledEventAttributes) return [endFromOutside('cancelled')];
  return [];
}

function endFromOutside(outcome: RunEnd, by?: string | null, why?: string | null): Happening {
  const told = `${outcome.replaceAll('-', ' ')}${by ? ` by ${by}` : ''}${why ? `: ${why}` : ''}`;
  return { type: 'run-ended', outcome, message: told, ...(by ? { by } : {}), ...(why ? { reason: why } : {}) };
}

/** What a run has noticed and decided by itself: no step has answered it, so only its status and its report have it. */
export function ownEvents(status: object): readonly Happening[] {
  const fields = status as Fields;
  const acts = listIn(fields, 'actions').filter((act) => textIn(act, 'by') === 'nodeferry');
  return [
    ...listIn(fields, 'externalChanges').map(toChange),
    ...acts.flatMap((act): readonly Happening[] => {
      const action = textIn(act, 'action');
      // Its pauses are published.
      if (action === undefined || action === 'pause') return [];
      const reason = textIn(act, 'reason') ?? '';
      const observedAt = Number(act['at']);
      const message = `${action} by nodeferry: ${reason}`;
      return [{ type: 'operator-action', action, by: 'nodeferry', reason, message, observedAt }];
    }),
  ];
}
