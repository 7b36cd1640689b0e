import { connectTemporal } from '../connect.ts';
import { fetchRun } from '../fetch-status.ts';
import { exitCodeOfReport } from '../output/exit-code-of-report.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import type { NamedRun } from '../run-target.ts';
import { isCutOff, needsOperator, type SeenRun, stateOf } from '../view/seen-run.ts';
import { renderTree } from '../view/tree.ts';

/** Prints the status of a run, once. */
export async function statusCommand(target: NamedRun, options: { readonly output: OutputFormat }): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const { status, report } = await fetchRun(connection, target);
    printData(options.output, status, () => renderTree(status, Date.now(), styleFor(process.stdout)).join('\n'));
    return report === undefined ? exitCodeOfStatus(status) : exitCodeOfReport(report);
  } finally {
    await connection.close();
  }
}

/** Exit code of a run without a report: 0 while all is well, 3 when an operator is needed, 1 when it has ended without a report. */
export function exitCodeOfStatus(status: SeenRun): ExitCode {
  if (stateOf(status) === 'failed' || isCutOff(status)) return exitCodes.failed;
  return needsOperator(status) ? exitCodes.stalled : exitCodes.ok;
}
