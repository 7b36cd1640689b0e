import { condition } from '@temporalio/workflow';
import type { Problem } from '../../core/model/problem.ts';
import { timeAt } from '../../core/run/state.ts';
import { formatDuration } from '../../core/text/format.ts';
import { apply, applyAndPublish, type Run, runUntilDone, stallUntilResumed } from './run.ts';
import { runUnless } from './run-unless.ts';
import { toOutcome, waits } from './steps.ts';

/**
 * Waits until somebody approves. When somebody rejects, and when nobody has approved in time and the policy says so, the run is aborted; otherwise
 * it is stalled after that time, and continues when somebody approves. `of` is what is to be approved.
 */
export async function awaitApproval(run: Run, of: string): Promise<void> {
  const approvals = run.input.policy.rollout?.approvals;
  if (approvals === undefined) return;
  const { timeoutMs, onTimeout } = approvals;
  const since = run.state.now;
  const until = timeoutMs === undefined ? undefined : since + timeoutMs;
  const { cluster, pool } = run.state.status;
  apply(run, { type: 'requestApproval', of, since, until, onTimeout });
  const action = `nodeferry approve ${cluster}/${pool}   or: nodeferry reject ${cluster}/${pool} --reason <why>`;
  apply(run, { type: 'setWaiting', waiting: { for: `approval of ${of}`, until, action } });
  if (timeoutMs !== undefined && !(await isAnsweredWithin(run, timeoutMs))) {
    const message = `nobody has approved ${of} within ${formatDuration(timeoutMs)}`;
    if (onTimeout === 'abort') return abortBecause(run, message);
    applyAndPublish(run, { type: 'stall', problem: missing(message, action) });
  }
  await condition(() => run.state.status.approval === undefined);
  apply(run, { type: 'setWaiting', waiting: undefined });
}

/** Pauses for a while, so that what was replaced can show whether it works. */
export async function soak(run: Run, soakMs: number): Promise<void> {
  if (soakMs === 0) return;
  await runUntilDone(run, `the canary nodes to have worked for ${formatDuration(soakMs)}`, () =>
    waits('soak of the canary nodes').sleepFor({ durationMs: soakMs }),
  );
}

/**
 * Whether somebody answers in time. A wait that fails is not over: nobody has been late. It stalls the run until an operator resumes it, and begins
 * again with the time that is left, by the workflow's own clock.
 */
async function isAnsweredWithin(run: Run, timeoutMs: number): Promise<boolean> {
  const isAnswered = () => run.state.status.approval === undefined;
  const until = timeAt(run.state, Date.now()) + timeoutMs;
  for (let durationMs = timeoutMs; ; durationMs = Math.max(1, until - timeAt(run.state, Date.now()))) {
    const { resumes } = run.state;
    const waited = await runUnless(
      isAnswered,
      async () => await toOutcome(() => waits('wait for approval').sleepFor({ durationMs })),
    );
    if (isAnswered() || waited?.outcome !== 'failed') return isAnswered();
    await stallUntilResumed(run, waited.problem, resumes);
    if (isAnswered()) return true;
  }
}

function missing(message: string, action: string): Problem {
  return { code: 'ApprovalMissing', message, hint: action };
}

function abortBecause(run: Run, reason: string): void {
  apply(run, { type: 'abort', by: 'nodeferry', reason, at: run.state.now });
  run.handles.forward.cancel();
}
