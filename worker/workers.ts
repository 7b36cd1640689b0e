import { Worker, type WorkerOptions } from '@temporalio/worker';
import { longQueue, longWaits } from '../workflows/messages.ts';

/** Far more than the number of runs that one process could serve: an activity that only waits costs next to nothing. */
const maxWaits = 2_000;

/** Options of a worker that has activities. */
export type StepWorkerOptions = WorkerOptions & { readonly activities: Readonly<Record<string, unknown>> };

/** The workers of one process. */
export interface Workers {
  /** Resolves once both have stopped. */
  run(): Promise<void>;
  shutdown(): void;
  readonly isRunning: () => boolean;
}

/**
 * Creates two workers that belong together: one for workflows and steps, and one for the activities that wait for the whole duration of a run. On a
 * single queue, as many pools as there are slots would leave none for the steps that all of them wait for.
 */
export async function createWorkers(options: StepWorkerOptions): Promise<Workers> {
  const { workflowBundle: _bundle, maxConcurrentActivityTaskExecutions: _slots, ...rest } = options;
  const waits = Object.fromEntries(longWaits.map((name) => [name, options.activities[name]]));
  const workers = [
    await Worker.create(options),
    await Worker.create({
      ...rest,
      taskQueue: longQueue(options.taskQueue),
      activities: waits,
      maxConcurrentActivityTaskExecutions: maxWaits,
    }),
  ];
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    run: async () => {
      const runs = workers.map(async (worker) => await worker.run());
      // If one fails, the other must stop too: otherwise half a worker would look alive.
      await Promise.all(runs).finally(shutdown);
      await Promise.allSettled(runs);
    },
    shutdown,
    isRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
  };
}
