import { expect, test } from 'vitest';
import { renderHtmlReport } from '../../demo/html-report.ts';
import { makeReport } from '../../demo/report.ts';
import { aReport } from '../client/run-report-fixture.ts';

const bound = {
  totalMs: 400_000,
  terms: [
    { name: 'boot', ms: 100_000 },
    { name: 'last termination', ms: 300_000 },
  ],
  batches: [3],
  instanceMinutes: 10,
};

test('the HTML report of the demo has its own counts and the lower bound, before the timeline', () => {
  const run = aReport();
  const html = renderHtmlReport(run, makeReport(run, [], bound, 40, { startedAt: run.startedAt, lossesPerSecond: [] }));
  const headings = [...html.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, heading]) => heading);
  expect(headings.slice(0, 5)).toEqual([
    'Requests',
    'What needs doing',
    'Traffic of the demo',
    'Lower bound',
    'Timeline',
  ]);
  expect(html).toContain('0 requests sent, 0 lost, 0 reset, 0 slow (0 new connections)');
  expect(html).toContain('at least 400.0 s (ratio 2.10)');
  expect(html).toContain('<th scope="row">last termination</th><td>300.0</td>');
});
