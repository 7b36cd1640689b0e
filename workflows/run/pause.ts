import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { mayProceed } from '../../core/run/stalled.ts';
import { apply, type Run } from './run.ts';

/**
 * Waits until an operator resumes a run that is paused or stalled, or until `isOutdated` says that something else is to be done first. Nothing but
 * that is waited for meanwhile, and the status says so by itself. Returns whether it has waited.
 */
export async function awaitResumed(run: Run, isOutdated: () => boolean = () => false): Promise<boolean> {
  const isOver = () => mayProceed(run.state) || isOutdated();
  if (isOver()) return false;
  const { waiting } = run.state.status;
  apply(run, { type: 'setWaiting', waiting: undefined });
  await condition(isOver);
  apply(run, { type: 'setWaiting', waiting });
  return true;
}

/**
 * Runs a step, and cancels it when the run is paused or stalls. A step that has ended by then still answers; undefined when it was cancelled before
 * that. However it is cancelled, by an abort too, it is waited for.
 */
export async function runUnlessPaused<T>(run: Run, step: () => Promise<T>): Promise<T | undefined> {
  const { handles } = run;
  const scope = new CancellationScope();
  handles.hasPausableStep = true;
  const running = scope.run(step).finally(() => {
    handles.hasPausableStep = false;
  });
  condition(() => !handles.hasPausableStep || !mayProceed(run.state)).then(
    () => handles.hasPausableStep && scope.cancel(),
    () => undefined,
  );
  try {
    return await running;
  } catch (error) {
    if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
    return undefined;
  }
}
