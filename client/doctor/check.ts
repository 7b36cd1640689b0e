/**
 * How a check ended. `warning`: nothing is broken, but somebody should know. `unknown`: the question got no answer, or could not be asked because of
 * another check that failed.
 */
export type CheckState = 'ok' | 'warning' | 'failed' | 'unknown';

/** One thing that nodeferry needs, and whether it is there. */
export interface Check {
  /** What was checked: the part of the system, then the thing, `temporal.namespace`. A check that finds several problems is there several times. */
  readonly id: string;
  readonly state: CheckState;
  /** What was found, in one sentence. */
  readonly found: string;
  /** What to do. Every line after the first is a command. */
  readonly fix?: string;
}

/** Checks that could not be made. `why` names what has to be fixed first. */
export function skipChecks(ids: readonly string[], why: string): readonly Check[] {
  return ids.map((id) => ({ id, state: 'unknown', found: `not asked: ${why}` }));
}
