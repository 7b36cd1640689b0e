import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';
import { abandonedSignal, type NodeStalled } from '../messages.ts';
import { changeNode, publishStalled, type Run } from './run.ts';

/** A node that waits for an operator, unless it will hear of a resume that came meanwhile, or goes back without anybody's help. */
export function markStalled(run: Run, { node, workflowId, step, problem, resumes }: NodeStalled): void {
  const child = run.children[node];
  if (child === undefined) abandonChild(workflowId);
  const isMoot = child?.isCancelled() === true && step !== 'restoring' && step !== 'terminating';
  if (child === undefined || isMoot || resumes < run.resumes) return;
  run.stalledNodes[node] = problem;
  changeNode(run, node, { step: 'stalled', problem });
  publishStalled(run);
}

/** A node that has ended needs nobody any more, whatever it waited for. */
export function clearStalled(run: Run, name: string): void {
  const problem = run.stalledNodes[name];
  if (problem === undefined) return;
  delete run.stalledNodes[name];
  if (run.status.stalled !== problem) return;
  run.status.stalled = undefined;
  publishStalled(run);
}

/** Tells the workflow of a node that this run has not started it: it did before the run was reset. One that has ended need not hear it. */
export function abandonChild(workflowId: string): void {
  CancellationScope.nonCancellable(
    async () => await getExternalWorkflowHandle(workflowId).signal(abandonedSignal),
  ).catch(() => undefined);
}
