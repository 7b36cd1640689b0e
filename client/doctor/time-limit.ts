import { setTimeout as delay } from 'node:timers/promises';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Check } from './check.ts';

/** How long all checks of one remote system may take together, ms. */
export const patienceMs = 10_000;

/** The time that all checks of one remote system have together. */
export interface TimeLimit {
  /**
   * Waits for a check, but no longer than the limit. A check that fails or takes too long is `unknown`, under this ID: it never prevents
   * another one.
   */
  check(id: string, observe: () => Promise<readonly Check[]>): Promise<readonly Check[]>;
  /** Waits for an answer. @throws NodeferryError with this code after the limit */
  race<T>(code: 'TemporalUnreachable' | 'ClusterUnreachable' | 'ProviderUnavailable', answer: Promise<T>): Promise<T>;
}

/** Runs `body` with a limit of `ms` from now on. `system` is whose time it is, `Temporal`. */
export async function withTimeLimit<T>(system: string, ms: number, body: (limit: TimeLimit) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const message = `${system} did not answer within ${ms / 1_000} s`;
  const tooLate = Symbol('too late');
  const over = delay(ms, tooLate, { signal: ended.signal });
  over.catch(() => undefined);
  const limit: TimeLimit = {
    check: async (id, observe) => {
      try {
        const found = await Promise.race([observe(), over]);
        return found === tooLate ? [{ id, state: 'unknown', found: message }] : (found as readonly Check[]);
      } catch (error) {
        return [{ id, state: 'unknown', ...explainFailure(error) }];
      }
    },
    race: async (code, answer) => {
      const got = await Promise.race([answer, over]);
      if (got !== tooLate) return got as Awaited<typeof answer>;
      throw new NodeferryError({ code, message });
    },
  };
  try {
    return await body(limit);
  } finally {
    ended.abort();
  }
}

/** What a failure says, and how to fix it. */
export function explainFailure(error: unknown): Pick<Check, 'found' | 'fix'> {
  if (error instanceof NodeferryError) {
    const { message, hint } = error.problem;
    return { found: message, ...(hint === undefined ? {} : { fix: hint }) };
  }
  return { found: error instanceof Error ? error.message : String(error) };
}
