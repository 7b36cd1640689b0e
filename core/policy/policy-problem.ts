/** Something wrong in a policy file, with the place where a reader finds it. All of its texts are fit for a terminal. */
export interface PolicyProblem {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  /** Path of the field, e.g. `spec.guard.maxInFlight`; empty for the whole file. */
  readonly field: string;
  /** What is wrong, with what was found. */
  readonly message: string;
  /** What may stand there. */
  readonly allowed?: string;
  /** What was probably meant. */
  readonly suggestion?: string;
}

/** Writes a problem on one line: `file:line:column field: what; allowed: what. Did you mean …?` */
export function formatPolicyProblem(problem: PolicyProblem): string {
  const place = `${problem.file}:${problem.line}:${problem.column}`;
  const field = problem.field === '' ? '' : ` ${problem.field}`;
  const allowed = problem.allowed === undefined ? '' : `; allowed: ${problem.allowed}`;
  const suggestion = problem.suggestion === undefined ? '' : `. Did you mean ${problem.suggestion}?`;
  return `${place}${field}: ${problem.message}${allowed}${suggestion}`;
}
