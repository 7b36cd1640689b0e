import { NodeferryError } from '../../core/model/problem.ts';
import { connectTemporal } from '../connect.ts';
import { fetchClosed } from '../fetch-status.ts';
import type { ExitCode } from '../output/exit-codes.ts';
import type { OutputFormat } from '../output/print.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { showEnd } from './watch.ts';

/** Prints the report of a finished run; needs no worker. */
export async function reportCommand(target: RunTarget, options: { readonly output: OutputFormat }): Promise<ExitCode> {
  const connection = await connectTemporal();
  try {
    const run = await fetchClosed(connection, target);
    if ('status' in run) return showEnd(run, options.output);
    const name = formatRunTarget(target);
    throw new NodeferryError({
      code: 'NotFinished',
      message: `The run of ${name} has not ended, so there is no report yet.`,
      hint: `See its status: nodeferry status ${name}   or wait for it: nodeferry watch ${name}`,
    });
  } finally {
    await connection.close();
  }
}
