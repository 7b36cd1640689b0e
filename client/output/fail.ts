import { NodeferryError, type Problem, type ProblemCode } from '../../core/model/problem.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { Interrupted } from './interrupt.ts';
import { legible, styleFor } from './style.ts';

/** Exit code for a problem: usage for what the caller can fix in the command or file, unreachable for what does not answer. */
export function exitCodeOf(code: ProblemCode): ExitCode {
  switch (code) {
    case 'InvalidArgument':
    case 'InvalidPolicy':
    case 'PoolNotFound':
      return exitCodes.usage;
    case 'TemporalUnreachable':
    case 'ClusterUnreachable':
    case 'ProviderUnavailable':
      return exitCodes.unreachable;
    case 'Forbidden':
      return exitCodes.forbidden;
    default:
      return exitCodes.failed;
  }
}

/** Writes a problem in the same way everywhere: code, what happened, and how to fix it. */
export function formatProblem(problem: Problem): string {
  return problem.hint
    ? `error ${problem.code}: ${problem.message}\n  fix: ${problem.hint}`
    : `error ${problem.code}: ${problem.message}`;
}

/** Prints errors on stderr and returns the exit code, that of the first if there are several. Unknown errors keep their stack: they are bugs. */
export function reportFailure(error: unknown): ExitCode {
  const style = styleFor(process.stderr);
  if (error instanceof NodeferryError) {
    process.stderr.write(legible(`${style.paint('bad', formatProblem(error.problem))}\n`));
    return exitCodeOf(error.problem.code);
  }
  if (error instanceof Interrupted) {
    process.stderr.write(legible(`\n${error.message}\n`));
    return exitCodes.detached;
  }
  if (error instanceof AggregateError) {
    const codes = error.errors.map(reportFailure);
    return codes[0] ?? exitCodes.failed;
  }
  process.stderr.write(
    `${style.paint('bad', 'error Internal:')} ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return exitCodes.failed;
}
