import { Script } from 'node:vm';

const script = new Script('work()');

/**
 * Runs work that does not wait for anything, and ends it when it takes longer than `timeoutMs`. Undefined when it was ended. Repetition rules
 * that no date fulfils make a calendar library search forever.
 */
export function runBounded<T>(work: () => T, timeoutMs: number): T | undefined {
  let result: T | undefined;
  const context = {
    work: () => {
      result = work();
    },
  };
  try {
    script.runInNewContext(context, { timeout: timeoutMs });
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  }
  return result;
}

/** The error comes from the new context, whose Error is not ours. */
function isTimeout(error: unknown): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
