/** A problem in a policy file, with its position. All of its texts are safe to print on a terminal. */
export interface PolicyProblem {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  /** Path of the field, e.g. `spec.guard.maxInFlight`. Empty when the problem concerns the whole file. */
  readonly field: string;
  /** What is wrong, including the value that was found. */
  readonly message: string;
  /** What is allowed there. */
  readonly allowed?: string;
  /** What the user probably meant. */
  readonly suggestion?: string;
}

/** Formats a problem on one line: `file:line:column field: message; allowed: …. Did you mean …?` */
export function formatPolicyProblem(problem: PolicyProblem): string {
  const place = `${problem.file}:${problem.line}:${problem.column}`;
  const field = problem.field === '' ? '' : ` ${problem.field}`;
  const allowed = problem.allowed === undefined ? '' : `; allowed: ${problem.allowed}`;
  const suggestion = problem.suggestion === undefined ? '' : `. Did you mean ${problem.suggestion}?`;
  return `${place}${field}: ${problem.message}${allowed}${suggestion}`;
}
