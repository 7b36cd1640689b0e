import { type Execution, firstOf, type HistoryEvent, objectIn, textIn } from './history.ts';
import { explainProblem, problemOf } from './problems.ts';
import { eventTypes, type Happening } from './run-event.ts';

/** The workflow that replaces one node. */
export interface NodeChild extends Execution {
  readonly node: string;
  /** The run knows that it has ended. */
  readonly hasEnded: boolean;
}

/** Reads what a run's history says of the workflows of its nodes, and keeps it in `children`, by the number of the event that started one. */
export function childEvent(event: HistoryEvent, children: Map<string, NodeChild>): readonly Happening[] {
  const { startChildWorkflowExecutionInitiatedEventAttributes: initiated } = event;
  const { childWorkflowExecutionStartedEventAttributes: started } = event;
  if (initiated) {
    const node = textIn(objectIn(firstOf(initiated.input), 'node'), 'name') ?? '';
    children.set(String(event.eventId), { node, workflowId: initiated.workflowId ?? '', runId: '', hasEnded: false });
    return [];
  }
  if (started) {
    const child = children.get(String(started.initiatedEventId));
    const runId = started.workflowExecution?.runId ?? '';
    if (child !== undefined) children.set(String(started.initiatedEventId), { ...child, runId });
    return [];
  }
  const { childWorkflowExecutionCompletedEventAttributes: completed } = event;
  const failed = event.childWorkflowExecutionFailedEventAttributes;
  const other =
    event.childWorkflowExecutionCanceledEventAttributes ??
    event.childWorkflowExecutionTerminatedEventAttributes ??
    event.childWorkflowExecutionTimedOutEventAttributes;
  const key = String((completed ?? failed ?? other)?.initiatedEventId);
  const child = children.get(key);
  if (child === undefined) return [];
  children.set(key, { ...child, hasEnded: true });
  const { node } = child;
  if (completed) return nodeEndEvents(node, firstOf(completed.result));
  if (!failed) return [{ type: 'node-failed', node, message: 'its workflow was ended from outside' }];
  const problem = problemOf(failed.failure);
  return [{ type: 'node-failed', node, problem, message: `failed: ${explainProblem(problem)}` }];
}

function nodeEndEvents(node: string, status: ReturnType<typeof firstOf>): readonly Happening[] {
  const reason = textIn(status, 'restoredBecause');
  const step = textIn(status, 'step') ?? '';
  const type = eventTypes.find((one) => one === `node-${step}`) ?? 'node-restored';
  if (type !== 'node-restored') return [{ type, node, message: step }];
  const why = reason === undefined ? '' : `: ${reason}`;
  return [{ type: 'node-restored', node, message: `restored${why}`, ...(reason === undefined ? {} : { reason }) }];
}
