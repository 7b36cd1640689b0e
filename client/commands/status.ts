import type { RunStatus } from '../../core/status/status.ts';
import { connectTemporal } from '../connect.ts';
import { fetchRun } from '../fetch-status.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import type { RunTarget } from '../run-target.ts';
import { renderTree } from '../view/tree.ts';

/** Prints how a run stands, once. */
export async function statusCommand(target: RunTarget, options: { readonly output: OutputFormat }): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const { status } = await fetchRun(connection, target);
    printData(options.output, status, () => renderTree(status, Date.now(), styleFor(process.stdout)).join('\n'));
    return exitCodeOfStatus(status);
  } finally {
    await connection.close();
  }
}

/** Exit code that a status stands for: 0 while all goes well or is done, 3 when a human is needed. */
export function exitCodeOfStatus(status: RunStatus): ExitCode {
  if (status.phase === 'failed') return exitCodes.failed;
  if (status.phase === 'aborted') return exitCodes.aborted;
  return status.needsAttention || status.paused ? exitCodes.needsHuman : exitCodes.ok;
}
