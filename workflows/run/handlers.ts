import { CancellationScope, condition, currentUpdateInfo, setHandler } from '@temporalio/workflow';
import { because } from '../../core/status/because.ts';
import type { OperatorAction, PoolPhase } from '../../core/status/status.ts';
import { truncateStatus } from '../../core/status/truncate-status.ts';
import {
  type Acknowledgement,
  abortUpdate,
  nodeGoesOnSignal,
  nodeRestoredSignal,
  nodeStalledSignal,
  type OperatorRequest,
  pauseUpdate,
  resumeUpdate,
  statusQuery,
  withdrawSignal,
} from '../messages.ts';
import { changeNode, publishDetails, type Run } from './run.ts';
import { clearStalled, markStalled } from './stalled.ts';
import { failWith } from './steps.ts';

const over: readonly PoolPhase[] = ['completed', 'aborted', 'failed'];

/** Sets everything that others can ask of a run, before anything else can happen. */
export function setHandlers(run: Run): void {
  const { status } = run;
  // Before the updates: one that was withdrawn before the first workflow task is refused in that task.
  setHandler(
    withdrawSignal,
    (updateId) => {
      run.withdrawn.push(updateId);
    },
    { description: 'Take back an update that no worker has taken yet, by its ID' },
  );
  setHandler(statusQuery, () => truncateStatus(status));
  setHandler(nodeStalledSignal, (stalledNodes) => markStalled(run, stalledNodes));
  setHandler(nodeGoesOnSignal, (node) => {
    if (run.stalledNodes[node] === undefined) return;
    clearStalled(run, node);
    changeNode(run, node, { step: 'replacing', problem: undefined });
  });
  setHandler(nodeRestoredSignal, (node) => {
    if (run.children[node] !== undefined) changeNode(run, node, { step: 'restored' });
  });
  setHandler(pauseUpdate, async (request) => await pause(run, request), {
    description: 'Start no further node; nodes in progress finish',
    validator: (request) => {
      requireOpen(run, request);
      if (run.aborting) throw refuse('the run is being aborted');
      if (status.paused !== undefined) throw refuse(`it was paused already by ${because(status.paused)}`);
    },
  });
  setHandler(resumeUpdate, (request) => answer(run, 'resume', request), {
    description: 'End a pause and retry stalled steps',
    validator: (request) => {
      requireOpen(run, request);
      if (status.paused === undefined && status.stalled === undefined) {
        throw refuse('it is neither paused nor stalled');
      }
    },
  });
  setHandler(abortUpdate, (request) => answer(run, 'abort', request), {
    description: 'Put everything back, capacity included',
    validator: (request) => {
      requireOpen(run, request);
      if (run.aborting) throw refuse('it is being aborted already');
      if (status.phase === 'finalize') throw refuse('every node has been replaced; there is nothing to go back to');
    },
  });
}

function requireOpen(run: Run, request: OperatorRequest): void {
  if (run.withdrawn.some((id) => id === currentUpdateInfo()?.id))
    throw refuse('it was withdrawn before a worker took it');
  if (typeof request?.by !== 'string' || typeof request.reason !== 'string')
    throw refuse('it was not said who asks, and why');
  if (over.includes(run.status.phase)) throw refuse(`the run is over: ${run.status.phase}`);
}

function refuse(why: string) {
  return failWith({ code: 'Conflict', message: `refused: ${why}` });
}

function answer(run: Run, action: OperatorAction['action'], { by, reason }: OperatorRequest): Acknowledgement {
  const at = Date.now();
  run.status.actions = [...run.status.actions, { action, by, reason, at }];
  if (action === 'pause') run.status.paused = { by, reason, at };
  if (action === 'resume') {
    run.status.paused = undefined;
    run.status.stalled = undefined;
    notifyResumed(run);
  }
  if (action === 'abort') {
    run.forward.cancel();
    beginRollback(run);
  }
  publishDetails(run);
  return { run: run.input.run, phase: run.status.phase, at };
}

/** From now on the run goes backwards; what it waited for an operator for is moot. */
export function beginRollback(run: Run): void {
  run.aborting = true;
  run.status.paused = undefined;
  run.status.stalled = undefined;
  // Putting back needs the lock too: whoever waits to take it again tries now. A node past the point of no return has to go on.
  notifyResumed(run);
}

/** Somebody has mended something: everything that has stopped, or is about to, tries again. */
function notifyResumed(run: Run): void {
  run.resumes += 1;
  for (const name of Object.keys(run.stalledNodes)) {
    delete run.stalledNodes[name];
    changeNode(run, name, { step: 'replacing', problem: undefined });
  }
  for (const { notifyResumed: tell, isCancelled } of Object.values(run.children)) {
    // Also in a run that was cancelled; a node that has ended meanwhile need not hear it.
    CancellationScope.nonCancellable(async () => await tell(run.resumes, { isAborted: isCancelled() })).catch(
      () => undefined,
    );
  }
}

/** Says that it is paused only once no node can be let go any more by a step that had begun before. */
async function pause(run: Run, request: OperatorRequest): Promise<Acknowledgement> {
  const acknowledgement = answer(run, 'pause', request);
  await condition(() => !run.isAsking || run.status.paused === undefined);
  return acknowledgement;
}

/** Pauses because of lost requests: nodes that have only begun to leave come back in, as far as they still can. */
export function pauseForLoss(run: Run, reason: string, at: number): void {
  run.status.paused ??= { by: 'nodeferry', reason, at };
  run.status.actions = [...run.status.actions, { action: 'pause', by: 'nodeferry', reason, at }];
  for (const child of Object.values(run.children)) child.recall(`the run was paused: ${reason}`).catch(() => undefined);
  publishDetails(run);
}
