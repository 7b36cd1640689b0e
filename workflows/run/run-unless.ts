import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';

/**
 * Runs a step, and cancels it as soon as `isMoot` says that its answer is no longer wanted. A step that has acted by then still answers;
 * undefined when it was cancelled before that.
 */
export async function runUnless<T>(isMoot: () => boolean, step: () => Promise<T>): Promise<T | undefined> {
  const scope = new CancellationScope();
  let ended = false;
  const running = scope
    .run(step)
    .catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
      return undefined;
    })
    .finally(() => {
      ended = true;
    });
  running.catch(() => undefined);
  await condition(() => ended || isMoot());
  if (!ended) scope.cancel();
  return await running;
}
