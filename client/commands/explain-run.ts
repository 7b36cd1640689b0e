import { connectTemporal } from '../connect.ts';
import { explainRun } from '../explain/explain-run.ts';
import { fetchRun } from '../fetch-status.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import type { NamedRun } from '../run-target.ts';
import { renderRunExplanation } from '../view/run-explanation.ts';

/** Prints why a run waits, and what would end the wait. */
export async function explainRunCommand(
  target: NamedRun,
  options: { readonly output: OutputFormat },
): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const { status } = await fetchRun(connection, target);
    const explanation = explainRun(status);
    printData(options.output, explanation, () =>
      renderRunExplanation(explanation, Date.now(), styleFor(process.stdout)).join('\n'),
    );
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}
