import { CancellationScope, condition, currentUpdateInfo, setHandler } from '@temporalio/workflow';
import type { RunEvent } from '../../core/run/events.ts';
import { isFinished } from '../../core/run/phases.ts';
import { because } from '../../core/status/because.ts';
import type { OperatorAction } from '../../core/status/status.ts';
import { truncateStatus } from '../../core/status/truncate-status.ts';
import {
  type Acknowledgement,
  abortUpdate,
  nodeGoesOnSignal,
  nodeRestoredSignal,
  nodeStalledSignal,
  type OperatorRequest,
  overrideWindowUpdate,
  pauseUpdate,
  resumeUpdate,
  statusQuery,
  withdrawSignal,
} from '../messages.ts';
import { apply, type Run } from './run.ts';
import { clearStalled, markStalled } from './stalled.ts';
import { failWith } from './steps.ts';

/** Sets the handlers of all signals, queries and updates of a run, before anything else can happen. */
export function setHandlers(run: Run): void {
  // Before the updates: one that was withdrawn before the first workflow task is refused in that task.
  setHandler(
    withdrawSignal,
    (updateId) => {
      apply(run, { type: 'withdraw', updateId });
    },
    { description: 'Withdraw an update that no worker has received yet, by its ID' },
  );
  setHandler(statusQuery, () => truncateStatus(run.state.status));
  setHandler(nodeStalledSignal, (stalled) => markStalled(run, stalled));
  setHandler(nodeGoesOnSignal, (name) => clearStalled(run, name));
  setHandler(nodeRestoredSignal, (name) => apply(run, { type: 'restoreNode', name }));
  setHandler(pauseUpdate, async (request) => await pause(run, request), {
    description: 'Start no further node; nodes in progress finish',
    validator: (request) => {
      requireOpen(run, request);
      const { paused } = run.state.status;
      if (run.state.isRollingBack) throw refuse('the run is being aborted');
      if (paused !== undefined) throw refuse(`it was paused already by ${because(paused)}`);
    },
  });
  setHandler(resumeUpdate, (request) => answer(run, 'resume', request), {
    description: 'End a pause and retry stalled steps',
    validator: (request) => {
      requireOpen(run, request);
      const { paused, stalled } = run.state.status;
      if (paused === undefined && stalled === undefined) {
        throw refuse('it is neither paused nor stalled');
      }
    },
  });
  setHandler(overrideWindowUpdate, (request) => answer(run, 'override-window', request), {
    description: 'Continue outside of the upgrade windows',
    validator: (request) => {
      requireOpen(run, request);
      const { windowOverride } = run.state.status;
      if (run.input.policy.schedule === undefined) throw refuse('its policy has no upgrade windows');
      if (run.state.isRollingBack) throw refuse('the run is being aborted, and that does not wait for a window');
      if (windowOverride !== undefined) throw refuse(`they were overridden already by ${because(windowOverride)}`);
      if (request.reason.trim() === '') throw refuse('it needs a reason');
    },
  });
  setHandler(abortUpdate, (request) => answer(run, 'abort', request), {
    description: 'Roll the run back, capacity included',
    validator: (request) => {
      requireOpen(run, request);
      if (run.state.isRollingBack) throw refuse('it is being aborted already');
      if (run.state.status.phase === 'finalize')
        throw refuse('every node has been replaced; there is nothing to go back to');
    },
  });
}

function requireOpen(run: Run, request: OperatorRequest): void {
  if (run.state.withdrawn.some((id) => id === currentUpdateInfo()?.id))
    throw refuse('it was withdrawn before a worker took it');
  if (typeof request?.by !== 'string' || typeof request.reason !== 'string')
    throw refuse('it was not said who asks, and why');
  if (isFinished(run.state)) throw refuse(`the run is over: ${run.state.status.phase}`);
}

function refuse(why: string) {
  return failWith({ code: 'Conflict', message: `refused: ${why}` });
}

function answer(
  run: Run,
  action: OperatorAction['action'] & RunEvent['type'],
  { by, reason }: OperatorRequest,
): Acknowledgement {
  const at = Date.now();
  if (action === 'abort') run.handles.forward.cancel();
  apply(run, { type: action, by, reason, at });
  if (action === 'resume' || action === 'abort') notifyResumed(run);
  return { run: run.input.run, phase: run.state.status.phase, at };
}

/** From now on the run rolls back, and no longer waits for an operator. */
export function beginRollback(run: Run): void {
  apply(run, { type: 'beginRollback' });
  notifyResumed(run);
}

/** Tells nodes that everything stalled, or about to be, is retried. */
function notifyResumed({ state: { resumes }, handles }: Run): void {
  for (const child of Object.values(handles.nodes)) {
    // Sent in a cancelled run too. A node that has ended meanwhile does not need it.
    CancellationScope.nonCancellable(
      async () => await child.notifyResumed(resumes, { isAborted: child.isCancelled() }),
    ).catch(() => undefined);
  }
}

/** Answers only once no step that began before the pause can exclude a node any more. */
async function pause(run: Run, request: OperatorRequest): Promise<Acknowledgement> {
  const acknowledgement = answer(run, 'pause', request);
  await condition(() => !run.handles.isExcluding || run.state.status.paused === undefined);
  return acknowledgement;
}
