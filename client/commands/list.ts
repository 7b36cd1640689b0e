import { connectTemporal } from '../connect.ts';
import { listRuns, type RunFilter } from '../list-runs.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { renderRunList } from '../view/run-list.ts';

/** Prints the runs that are under way, or all that Temporal keeps. */
export async function listCommand({
  output,
  ...filter
}: RunFilter & { readonly output: OutputFormat }): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const { runs, more } = await listRuns(connection, filter);
    if (runs.length > 0 || output !== 'table')
      printData(output, runs, () => renderRunList(runs, Date.now(), styleFor(process.stdout)).join('\n'));
    if (runs.length === 0) printProgress(explainNone(filter));
    if (more) printProgress(`There are more than ${filter.limit}: see them with --limit.`);
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

function explainNone({ all, cluster, stalled }: RunFilter): string {
  const where = cluster === undefined ? '' : ` on cluster ${cluster}`;
  if (stalled) return `No run${where} is stalled.`;
  return all ? `There is no run${where}.` : `No run${where} is under way. To see runs that have ended, add --all.`;
}
