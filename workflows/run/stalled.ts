import { getExternalWorkflowHandle } from '@temporalio/workflow';
import { abandonedSignal, type NodeStalled } from '../node-messages.ts';
import { apply, applyAndPublish, publishStalled, type Run } from './run.ts';
import { tell } from './tell.ts';

/** A node needs an operator. A node that the run did not start is told to continue alone. */
export function markStalled(run: Run, { node: name, workflowId, step, problem, resumes }: NodeStalled): void {
  const before = run.state;
  if (before.inProgress[name] === undefined) abandonChild(workflowId);
  const isCancelled = run.handles.nodes[name]?.isCancelled() === true;
  apply(run, { type: 'markStalled', name, step, problem, resumes, isCancelled });
  if (run.state !== before) publishStalled(run);
}

/** A stalled node continues although the run was not resumed. */
export function clearStalled(run: Run, name: string): void {
  applyAndPublish(run, { type: 'clearStalled', name });
}

/** Tells the workflow of a node that this run does not know it, because the run was reset after starting it. */
export function abandonChild(workflowId: string): void {
  tell(async () => await getExternalWorkflowHandle(workflowId).signal(abandonedSignal));
}
