/** The report of the demo as an HTML page: that of the run, with what the demo knows besides. */
import { readVersion } from '../adapters/package/version.ts';
import { composeReport } from '../client/report/compose-report.ts';
import { paragraph, plain, type Section } from '../client/report/document.ts';
import { renderHtml } from '../client/report/render-html.ts';
import type { RunReport } from '../core/status/status.ts';
import type { DemoReport, RequestCounts } from './report.ts';

/** Writes the report of a run of the demo as an HTML page. */
export function renderHtmlReport(run: RunReport, report: DemoReport): string {
  const sections = [trafficSection(report), ...boundSections(report)];
  return renderHtml(composeReport(run, { madeBy: `nodeferry ${readVersion()} (npm run demo)`, sections }));
}

/** What the lab's own probers counted, beside the probes of the worker. */
function trafficSection({ requests, newConnections, perStream }: DemoReport): Section {
  const row = (name: string, { sent, lost, cut, slow }: RequestCounts) => [
    name,
    ...[sent, lost, cut, slow].map(String),
  ];
  const harmed = requests.lost + requests.cut + requests.slow;
  const text = `${requests.sent} requests sent, ${requests.lost} lost, ${requests.cut} reset, ${requests.slow} slow (${newConnections} new connections)`;
  return {
    heading: 'Traffic of the demo',
    blocks: [
      paragraph({ tone: harmed === 0 ? 'good' : 'bad', text }),
      {
        kind: 'table',
        table: {
          caption: 'Requests that the demo sent from outside and from a pod',
          head: ['Traffic', 'Sent', 'Lost', 'Reset', 'Slow'],
          rows: [...Object.entries(perStream).map(([name, counts]) => row(name, counts)), row('all', requests)],
        },
      },
    ],
  };
}

function boundSections({ durationSeconds, lowerBoundSeconds, lowerBoundTerms }: DemoReport): readonly Section[] {
  if (lowerBoundSeconds === undefined) return [];
  const ratio = (durationSeconds / lowerBoundSeconds).toFixed(2);
  const text = `The run took ${durationSeconds.toFixed(1)} s. With perfect knowledge and the same guard it would take at least ${lowerBoundSeconds.toFixed(1)} s (ratio ${ratio}).`;
  const table = {
    caption: 'What no tool can shorten, one after the other',
    head: ['Wait', 'Seconds'],
    rows: lowerBoundTerms.map(({ name, seconds }) => [name, seconds.toFixed(1)]),
  };
  return [{ heading: 'Lower bound', blocks: [paragraph(plain(text)), { kind: 'table', table }] }];
}
