import { createWorkers, type StepWorkerOptions, type Workers } from '../../worker/workers.ts';

/** A worker that can be ended and begun anew, one at a time. */
interface RestartableWorker {
  /** Ends the worker if there is one. */
  readonly pause: () => Promise<void>;
  /** Ends the worker if there is one, and starts a new one. */
  readonly restart: () => Promise<void>;
}

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
    const workers = await createWorkers(options);
    current = { workers, running: workers.run() };
  };
  await inTurn(restart);
  return { pause: async () => await inTurn(end), restart: async () => await inTurn(restart) };
}
