import { NodeferryError } from '../../core/model/problem.ts';
import { connectTemporal } from '../connect.ts';
import { fetchReport, fetchRun } from '../fetch-status.ts';
import type { ExitCode } from '../output/exit-codes.ts';
import { type OutputFormat, printData } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { renderReport } from '../view/report.ts';
import { exitCodeOfReport } from './watch.ts';

/** Prints the proof of a finished run. */
export async function reportCommand(target: RunTarget, options: { readonly output: OutputFormat }): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const { running } = await fetchRun(connection, target);
    if (running) {
      throw new NodeferryError({
        code: 'AlreadyRunning',
        message: `The run of ${formatRunTarget(target)} has not ended, so there is no report yet.`,
        hint: `See how it stands: nodeferry status ${formatRunTarget(target)}   or wait for it: nodeferry watch ${formatRunTarget(target)}`,
      });
    }
    const report = await fetchReport(connection, target);
    printData(options.output, report, () => renderReport(report, styleFor(process.stdout)).join('\n'));
    return exitCodeOfReport(report);
  } finally {
    await connection.close();
  }
}
