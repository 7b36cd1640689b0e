import { NodeferryError } from '../../core/model/problem.ts';
import { connectTemporal } from '../connect.ts';
import { fetchClosed } from '../fetch-status.ts';
import type { ExitCode } from '../output/exit-codes.ts';
import { type OutputFormat, printProgress } from '../output/print.ts';
import { writeNamedFile } from '../output/write-file.ts';
import { type DocumentFormat, documentFormatOf, renderDocument } from '../report/document-formats.ts';
import { formatNamedRun, formatRunTarget, type NamedRun } from '../run-target.ts';
import { showEnd } from './watch.ts';

/** How to show a report: as data on stdout, or as a document, which goes to stdout unless a file is named. */
interface ReportOptions {
  readonly output: OutputFormat;
  readonly format?: DocumentFormat;
  readonly out?: string;
}

/** Shows the report of a finished run; needs no worker. */
export async function reportCommand(target: NamedRun, { output, format, out }: ReportOptions): Promise<ExitCode> {
  const wanted = format ?? (out === undefined ? undefined : documentFormatOf(out));
  const connection = await connectTemporal();
  try {
    const run = await fetchClosed(connection, target);
    if ('status' in run) {
      if (wanted === undefined) return showEnd(run, output);
      return showEnd(run, output, (report) => writeDocument(renderDocument(report, wanted), out));
    }
    const name = formatNamedRun(target);
    throw new NodeferryError({
      code: 'NotFinished',
      message: `The run of ${formatRunTarget(target)} has not ended, so there is no report yet.`,
      hint: `See its status: nodeferry status ${name}   or wait for it: nodeferry watch ${name}`,
    });
  } finally {
    await connection.close();
  }
}

function writeDocument(text: string, out: string | undefined): void {
  if (out === undefined) {
    process.stdout.write(text);
    return;
  }
  writeNamedFile(out, text, 'report');
  printProgress(`Written: ${out}`);
}
