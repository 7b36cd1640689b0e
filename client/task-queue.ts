import { defaultTaskQueue } from '../workflows/messages.ts';

/** Task queue on which this command starts workflows: NODEFERRY_TASK_QUEUE, or the usual one. */
export function taskQueue(env: NodeJS.ProcessEnv = process.env): string {
  return env['NODEFERRY_TASK_QUEUE'] ?? defaultTaskQueue;
}
