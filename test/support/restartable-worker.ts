import { createWorkers, type StepWorkerOptions, type Workers } from '../../worker/workers.ts';

/** A worker that can be ended and begun anew, one at a time. */
interface RestartableWorker {
  /** Ends the worker if there is one. */
  readonly pause: () => Promise<void>;
  /** Ends the worker if there is one, and starts a new one. */
  readonly restart: () => Promise<void>;
}

/**
 * Workflows run in the same sandbox as ever, but in this process's main thread. A thread for each worker takes almost a second of processor time to start,
 * and there is a worker for each of a thousand tests. A workflow that never yields still fails, after this time.
 */
const inThisThread = { debugMode: true, isolateExecutionTimeout: '60s' } as const;

/** Starts a worker with these options. */
export async function startWorker(options: StepWorkerOptions): Promise<RestartableWorker> {
  let current: { readonly workers: Workers; readonly running: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();
  const inTurn = async (change: () => Promise<void>) => {
    last = last.then(change, change);
    await last;
  };
  const end = async () => {
    current?.workers.shutdown();
    await current?.running;
    current = undefined;
  };
  const restart = async () => {
    await end();
    const workers = await createWorkers({ ...options, ...inThisThread });
    current = { workers, running: workers.run() };
  };
  await inTurn(restart);
  return { pause: async () => await inTurn(end), restart: async () => await inTurn(restart) };
}
