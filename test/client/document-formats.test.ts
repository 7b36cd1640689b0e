import { expect, test } from 'vitest';
import { documentFormatOf, renderDocument } from '../../client/report/document-formats.ts';
import { aReport } from './run-report-fixture.ts';

test.each([
  ['report.html', 'html'],
  ['/tmp/Report.HTM', 'html'],
  ['report.md', 'md'],
  ['run.1.json', 'json'],
])('a file called %s gets the format %s', (path, format) => {
  expect(documentFormatOf(path)).toBe(format);
});

test('a file whose name says no format is refused', () => {
  expect(() => documentFormatOf('report')).toThrow('does not say in which format');
});

test('each format has the whole report', () => {
  expect(JSON.parse(renderDocument(aReport(), 'json'))).toEqual(JSON.parse(JSON.stringify(aReport())));
  expect(renderDocument(aReport(), 'html')).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
  expect(renderDocument(aReport(), 'md')).toMatch(/^# prod\/web [^]*Written by nodeferry \d/);
});
