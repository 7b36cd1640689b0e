import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';
import { abandonedSignal, type NodeStalled } from '../messages.ts';
import { apply, applyAndPublish, publishStalled, type Run } from './run.ts';

/** A node calls for an operator. One that the run has not started is on its own. */
export function markStalled(run: Run, { node: name, workflowId, step, problem, resumes }: NodeStalled): void {
  const before = run.state;
  if (before.inProgress[name] === undefined) abandonChild(workflowId);
  const isCancelled = run.handles.nodes[name]?.isCancelled() === true;
  apply(run, { type: 'markStalled', name, step, problem, resumes, isCancelled });
  if (run.state !== before) publishStalled(run);
}

/** A node goes on, though nobody has resumed the run. */
export function clearStalled(run: Run, name: string): void {
  applyAndPublish(run, { type: 'clearStalled', name });
}

/** Tells the workflow of a node that this run has not started it: it did before the run was reset. One that has ended need not hear it. */
export function abandonChild(workflowId: string): void {
  CancellationScope.nonCancellable(
    async () => await getExternalWorkflowHandle(workflowId).signal(abandonedSignal),
  ).catch(() => undefined);
}
