import { exitOf, startChild, workerEntry } from '../child-process.ts';

/** Runs a worker in the foreground; the first SIGINT or SIGTERM lets running steps reach a safe point. */
export async function workerCommand(): Promise<number> {
  const child = await startChild(process.execPath, [workerEntry()], { stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', forward);
  process.on('SIGTERM', forward);
  return exitOf(child);
}
