/** Commands that start a lab and take it down however they end. */

import { SetupError } from '../scripts/setup/errors.ts';
import { LabInUseError } from './cluster/lock.ts';

/**
 * Runs a command that ends with an exit code. Ctrl-C or SIGTERM aborts the signal; what the command throws then is not a failure but exit code 130. What
 * the user has to do first is told without a stack.
 */
export async function runInterruptibly(command: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const interrupted = new AbortController();
  process.on('SIGINT', () => interrupted.abort(new Error('interrupted')));
  process.on('SIGTERM', () => interrupted.abort(new Error('terminated')));
  try {
    process.exitCode = await command(interrupted.signal);
  } catch (error) {
    if (interrupted.signal.aborted) {
      process.stderr.write('\nInterrupted; the lab has been taken down.\n');
      process.exitCode = 130;
    } else if (error instanceof LabInUseError || error instanceof SetupError) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    } else throw error;
  }
}

/** Rejects when the signal is aborted; what was in progress ends with the lab. */
export function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
