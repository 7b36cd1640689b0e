import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';
import { disownedSignal, type NodeParked } from '../messages.ts';
import { changeNode, type Run, showAttention } from './run.ts';

/** A node that waits for an operator, unless it will hear of a resume that came meanwhile, or goes back without anybody's help. */
export function park(run: Run, { node, workflowId, step, problem, resumes }: NodeParked): void {
  const child = run.children[node];
  if (child === undefined) disown(workflowId);
  const isMoot = child?.isCancelled() === true && step !== 'putting-back' && step !== 'terminating';
  if (child === undefined || isMoot || resumes < run.resumes) return;
  run.parked[node] = problem;
  changeNode(run, node, { step: 'needs-attention', problem });
  showAttention(run);
}

/** A node that has ended needs nobody any more, whatever it waited for. */
export function unpark(run: Run, name: string): void {
  const problem = run.parked[name];
  if (problem === undefined) return;
  delete run.parked[name];
  if (run.status.needsAttention !== problem) return;
  run.status.needsAttention = undefined;
  showAttention(run);
}

/** Tells the workflow of a node that this run has not started it: it did before the run was reset. One that has ended need not hear it. */
export function disown(workflowId: string): void {
  CancellationScope.nonCancellable(
    async () => await getExternalWorkflowHandle(workflowId).signal(disownedSignal),
  ).catch(() => undefined);
}
