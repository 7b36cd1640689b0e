import type { WindowQuestion } from '../../activities/window-steps.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { measureTimes } from '../../core/run/measured-times.ts';
import { isBoundToWindows } from '../../core/run/state.ts';
import type { WindowWork } from '../../core/schedule/needed-time.ts';
import { awaitResumed } from './pause.ts';
import { apply, type Run, runUntilDone } from './run.ts';
import { runUnless } from './run-unless.ts';
import { steps, toOutcome, waits } from './steps.ts';

/**
 * Waits until an upgrade window is open for long enough, or until an operator overrides the windows. Everything stays as it is meanwhile: old
 * nodes serve, new ones serve beside them. Returns whether it has waited; at once without windows.
 */
export async function awaitWindow(run: Run, plan: PoolPlan, work: WindowWork): Promise<boolean> {
  for (let hasWaited = false; ; hasWaited = true) {
    const question = windowQuestion(run, plan, work);
    if (question === undefined) return hasWaited;
    const { window } = await runUntilDone(run, 'the upgrade windows to be checked', () =>
      steps('check the upgrade windows').checkWindow(question),
    );
    apply(run, { type: 'recordWindow', window });
    apply(run, { type: 'setWaiting', waiting: undefined });
    if (window.mayStart) return hasWaited;
    await awaitOpening(run, question, window.detail);
  }
}

/** The same, and the run must not be paused at that moment. Returns whether it has waited for either. */
export async function awaitTurn(run: Run, plan: PoolPlan, work: WindowWork): Promise<boolean> {
  const hasWaited = await awaitWindow(run, plan, work);
  return (await awaitResumedInWindow(run, plan, work)) || hasWaited;
}

/**
 * Waits while the run is paused, and then for a window, because one may have closed meanwhile; or until `isOutdated` says that something else is to be
 * done first. Returns whether it has waited.
 */
export async function awaitResumedInWindow(
  run: Run,
  plan: PoolPlan,
  work: WindowWork,
  isOutdated?: () => boolean,
): Promise<boolean> {
  const { waiting } = run.state.status;
  let hasWaited = false;
  while (await awaitResumed(run, isOutdated)) {
    hasWaited = true;
    await awaitWindow(run, plan, work);
    apply(run, { type: 'setWaiting', waiting });
  }
  return hasWaited;
}

/** What has to fit into a window; undefined when no window is waited for. */
export function windowQuestion(run: Run, { expected }: PoolPlan, work: WindowWork): WindowQuestion | undefined {
  const { policy } = run.input;
  if (policy.schedule === undefined || expected === undefined || !isBoundToWindows(run.state, policy)) return undefined;
  return { schedule: policy.schedule, work, expected };
}

/** Remembers how long the nodes took, for the windows of later runs. A run does not fail because of that. */
export async function recordTimings({ input, state }: Run): Promise<void> {
  const added = measureTimes(state.status.nodes, state.plan?.expected?.kinds ?? []);
  if (Object.keys(added).length === 0) return;
  await toOutcome(() => steps('remember how long nodes took').recordTimings({ run: input.run, added }));
}

/** Ends when a window may be open for long enough, and when the windows are overridden. `detail` says what is waited for. */
async function awaitOpening(run: Run, question: WindowQuestion, detail: string): Promise<void> {
  const { cluster, pool } = run.state.status;
  const action = `none, it continues by itself; to continue at once: nodeferry override-window ${cluster}/${pool} --reason <why>`;
  await runUnless(
    () => !isBoundToWindows(run.state, run.input.policy),
    async () =>
      await runUntilDone(run, { for: detail, action }, () => waits('wait for an upgrade window').awaitWindow(question)),
  );
}
