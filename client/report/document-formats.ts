import { extname } from 'node:path';
import { readVersion } from '../../adapters/package/version.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { RunReport } from '../../core/status/status.ts';
import { composeReport } from './compose-report.ts';
import { renderHtml } from './render-html.ts';
import { renderMarkdown } from './render-markdown.ts';

/** Formats in which a report is a document of its own, to be kept or passed on. */
export type DocumentFormat = 'html' | 'md' | 'json';

const formatsByEnding: Readonly<Record<string, DocumentFormat>> = {
  '.html': 'html',
  '.htm': 'html',
  '.md': 'md',
  '.json': 'json',
};

/** The format that the name of a file asks for. @throws NodeferryError InvalidArgument when it asks for none */
export function documentFormatOf(path: string): DocumentFormat {
  const format = formatsByEnding[extname(path).toLowerCase()];
  if (format !== undefined) return format;
  throw new NodeferryError({
    code: 'InvalidArgument',
    message: `The name ${path} does not say in which format the report is wanted.`,
    hint: 'Let it end with .html, .md or .json, or add --format.',
  });
}

/** Writes a report in a format. JSON is the report as it is (schemas/run-report.schema.json). */
export function renderDocument(report: RunReport, format: DocumentFormat): string {
  const madeBy = `nodeferry ${readVersion()}`;
  switch (format) {
    case 'html':
      return renderHtml(composeReport(report, { madeBy }));
    case 'md':
      return renderMarkdown(composeReport(report, { madeBy }));
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`;
  }
}
