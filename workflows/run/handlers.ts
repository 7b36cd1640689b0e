import { condition, currentUpdateInfo, setHandler, workflowInfo } from '@temporalio/workflow';
import { whyNotAccept } from '../../core/run/accept-unprotected.ts';
import { lacksOnlyApproval } from '../../core/run/approvals.ts';
import type { RunEvent } from '../../core/run/events.ts';
import { statusOfNamed } from '../../core/run/nodes.ts';
import { whyNoAbort, whyNoRollback } from '../../core/run/old-pool.ts';
import { isFinished } from '../../core/run/phases.ts';
import { whyTooLarge } from '../../core/run/rollback-size.ts';
import { resumesOf } from '../../core/run/state.ts';
import { because } from '../../core/status/because.ts';
import type { OperatorAction } from '../../core/status/status.ts';
import { truncateStatus } from '../../core/status/truncate-status.ts';
import { stepOf } from '../../core/steps/steps.ts';
import {
  type Acknowledgement,
  abortUpdate,
  acceptUnprotectedUpdate,
  approveUpdate,
  type OperatorRequest,
  overrideWindowUpdate,
  pauseUpdate,
  rejectUpdate,
  resumeUpdate,
  retryUpdate,
  rollbackUpdate,
  setConcurrencyUpdate,
  skipUpdate,
  statusQuery,
  withdrawSignal,
} from '../messages.ts';
import { nodeGoesOnSignal, nodeRestoredSignal, nodeStalledSignal, skipAnsweredSignal } from '../node-messages.ts';
import { apply, applyAndPublish, type Run } from './run.ts';
import { recordSkipAnswer, refusalOfSkip, skipNode } from './skip.ts';
import { clearStalled, markStalled } from './stalled.ts';
import { failWith } from './steps.ts';
import { tell } from './tell.ts';

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
      if (run.state.isRollingBack) throw refuse(`the run ${isGoingBack(run)}`);
      if (paused !== undefined && paused.endsByItself !== true)
        throw refuse(`it was paused already by ${because(paused)}`);
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
      if (paused === undefined && lacksOnlyApproval(run.state)) throw refuse('approve or reject what it waits for');
    },
  });
  setHandler(retryUpdate, (request) => retry(run, request), {
    description: 'Retry the stalled step of one node',
    validator: (request) => requireStalledNode(run, request),
  });
  setHandler(skipAnsweredSignal, (reply) => recordSkipAnswer(run, reply));
  setHandler(skipUpdate, async (request) => await skip(run, request), {
    description: 'Do not replace one node: it is restored, and stays in the old pool',
    validator: (request) => {
      requireOpen(run, request);
      const refused = refusalOfSkip(run, request);
      if (refused !== undefined) throw refuse(refused);
    },
  });
  setHandler(approveUpdate, (request) => answer(run, 'approve', request), {
    description: 'Approve what the run waits to be approved',
    validator: (request) => requireApprovalRequest(run, request),
  });
  setHandler(rejectUpdate, (request) => answer(run, 'reject', request), {
    description: 'Reject what the run waits to be approved; the run rolls back',
    validator: (request) => {
      requireApprovalRequest(run, request);
      if (request.reason.trim() === '') throw refuse('it needs a reason');
    },
  });
  setHandler(
    setConcurrencyUpdate,
    ({ by, reason, maxInFlight = 1 }) => {
      const at = Date.now();
      apply(run, { type: 'set-concurrency', by, reason, at, maxInFlight });
      return acknowledge(run, at);
    },
    {
      description: 'Set how many nodes may be in progress at the same time',
      validator: (request) => {
        requireOpen(run, request);
        const { maxInFlight = 0 } = request;
        if (!Number.isInteger(maxInFlight) || maxInFlight < 1 || maxInFlight > 1000)
          throw refuse('the number of nodes must be a whole number from 1 to 1000');
      },
    },
  );
  setHandler(overrideWindowUpdate, (request) => answer(run, 'override-window', request), {
    description: 'Continue outside of the upgrade windows',
    validator: (request) => {
      requireOpen(run, request);
      const { windowOverride } = run.state.status;
      if (run.input.policy.schedule === undefined) throw refuse('its policy has no upgrade windows');
      if (run.state.isRollingBack) throw refuse(`the run ${isGoingBack(run)}, and that does not wait for a window`);
      if (windowOverride !== undefined) throw refuse(`they were overridden already by ${because(windowOverride)}`);
      if (request.reason.trim() === '') throw refuse('it needs a reason');
    },
  });
  setHandler(acceptUnprotectedUpdate, (request) => acceptUnprotected(run, request), {
    description: 'Let a Service lose connections that cannot be protected',
    validator: (request) => {
      requireOpen(run, request);
      const why = whyNotAccept(run.state, request);
      if (why !== undefined) throw refuse(why);
    },
  });
  setHandler(abortUpdate, (request) => answer(run, 'abort', request), {
    description: 'Roll the run back; as many new nodes stay as old ones were replaced',
    validator: (request) => {
      requireOpen(run, request);
      const why = whyNoAbort(run.state);
      if (why !== undefined) throw refuse(why);
    },
  });
  setRollbackHandler(run);
}

/** The run may have moved on between the validator and the handler, which runs after other work of the same task: it checks once more. */
function setRollbackHandler(run: Run): void {
  setHandler(
    rollbackUpdate,
    (request) => {
      requireRollback(run);
      return answer(run, 'rollback', request);
    },
    {
      description: 'Give the old pool its size again, and remove the new one',
      validator: (request) => {
        requireOpen(run, request);
        if (request.reason.trim() === '') throw refuse('it needs a reason');
        requireRollback(run);
        const { historyLength: events, historySize: bytes } = workflowInfo();
        const why = whyTooLarge(run.state, { events, bytes });
        if (why !== undefined) throw refuse(why);
      },
    },
  );
}

function requireRollback({ state }: Run): void {
  if (isFinished(state)) throw refuse(`the run is over: ${state.status.phase}`);
  const why = whyNoRollback(state);
  if (why !== undefined) throw refuse(why);
}

function isGoingBack({ state: { status } }: Run): string {
  return status.rollback === undefined ? 'is being aborted' : 'is being rolled back';
}

function requireOpen(run: Run, request: OperatorRequest): void {
  if (run.state.withdrawn.some((id) => id === currentUpdateInfo()?.id))
    throw refuse('it was withdrawn before a worker took it');
  if (typeof request?.by !== 'string' || typeof request.reason !== 'string')
    throw refuse('it was not said who asks, and why');
  if (isFinished(run.state)) throw refuse(`the run is over: ${run.state.status.phase}`);
}

function requireApprovalRequest(run: Run, request: OperatorRequest): void {
  requireOpen(run, request);
  const { approval, actions } = run.state.status;
  if (approval === undefined) {
    const last = actions.findLast(({ action }) => action === 'approve' || action === 'reject');
    const before = last === undefined ? '' : `; ${last.of ?? 'it'} was answered (${last.action}) by ${because(last)}`;
    throw refuse(`the run waits for no approval${before}`);
  }
  if (request.of !== undefined && request.of !== approval.of)
    throw refuse(`the run waits for approval of ${approval.of}, not of ${request.of}`);
}

function requireStalledNode(run: Run, request: OperatorRequest): void {
  requireOpen(run, request);
  const { node: name } = request;
  const seen = name === undefined ? undefined : statusOfNamed(run.state, name);
  if (name === undefined || seen === undefined) throw refuse(`the run has no node ${name ?? 'without a name'}`);
  if (run.state.stalledNodes[name] !== undefined) return;
  const own = run.state.problems.length === 0 ? '' : '; the run itself is stalled, and continues after a resume';
  throw refuse(`${name} is not stalled (${stepOf(seen.step).label})${own}`);
}

function refuse(why: string) {
  return failWith({ code: 'Conflict', message: `refused: ${why}` });
}

function answer(
  run: Run,
  action: Exclude<
    OperatorAction['action'] & RunEvent['type'],
    'set-concurrency' | 'accept-unprotected' | 'retry' | 'skip'
  >,
  { by, reason }: OperatorRequest,
): Acknowledgement {
  const at = Date.now();
  const endsRun = action === 'abort' || action === 'reject' || action === 'rollback';
  if (endsRun) run.handles.forward.cancel();
  applyAndPublish(run, { type: action, by, reason, at });
  if (endsRun || action === 'resume') notifyResumed(run);
  return acknowledge(run, at);
}

function acceptUnprotected(run: Run, { by, reason, service = '' }: OperatorRequest): Acknowledgement {
  const at = Date.now();
  apply(run, { type: 'accept-unprotected', by, reason, at, service });
  for (const child of Object.values(run.handles.nodes)) tell(async () => await child.accept(service));
  return acknowledge(run, at);
}

function retry(run: Run, { by, reason, node = '' }: OperatorRequest): Acknowledgement {
  const at = Date.now();
  applyAndPublish(run, { type: 'retry', node, by, reason, at });
  notifyNode(run, node);
  return acknowledge(run, at);
}

async function skip(run: Run, { by, reason, node = '' }: OperatorRequest): Promise<Acknowledgement> {
  const at = Date.now();
  const refused = await skipNode(run, { node, by, reason, at });
  if (refused !== undefined) throw refuse(refused);
  return acknowledge(run, at);
}

function acknowledge({ input, state }: Run, at: number): Acknowledgement {
  return { run: input.run, phase: state.status.phase, at };
}

/** From now on the run rolls back, and no longer waits for an operator. */
export function beginRollback(run: Run): void {
  apply(run, { type: 'beginRollback' });
  notifyResumed(run);
}

/** Tells nodes that everything stalled, or about to be, is retried. */
function notifyResumed(run: Run): void {
  for (const name of Object.keys(run.handles.nodes)) notifyNode(run, name);
}

function notifyNode({ state, handles }: Run, name: string): void {
  const child = handles.nodes[name];
  if (child === undefined) return;
  tell(async () => await child.notifyResumed(resumesOf(state, name), { isAborted: child.isCancelled() }));
}

/** Answers only once no step that began before the pause can exclude a node or release a pod any more. */
async function pause(run: Run, request: OperatorRequest): Promise<Acknowledgement> {
  const acknowledgement = answer(run, 'pause', request);
  await condition(() => !run.handles.hasPausableStep || run.state.status.paused === undefined);
  return acknowledgement;
}
