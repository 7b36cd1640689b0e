import { NodeferryError, type ProblemCode } from '../core/model/problem.ts';

/** Exit codes of a worker; docs/worker.md lists the same, and the CLI uses no others. */
const exitCodes: Partial<Readonly<Record<ProblemCode, number>>> = {
  InvalidArgument: 64,
  TemporalUnreachable: 69,
  ClusterUnreachable: 69,
};

/** The message of a worker that can't start or can't go on, and its exit code. Unexpected errors keep their stack. */
export function describeStartFailure(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (!(error instanceof NodeferryError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { text: `nodeferry worker: ${text || 'it failed without a message'}\n`, exitCode: 1 };
  }
  const { code, message, hint } = error.problem;
  return {
    text: `nodeferry worker: ${message}\n${hint === undefined ? '' : `  fix: ${hint}\n`}`,
    exitCode: exitCodes[code] ?? 1,
  };
}
