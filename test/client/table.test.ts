import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { plainStyle } from '../../client/output/style.ts';
import { renderReport } from '../../client/view/report.ts';
import { renderTable } from '../../client/view/table.ts';
import { breakText } from '../../client/view/wrap.ts';
import type { RunReport } from '../../core/status/status.ts';
import { evidenceKinds } from '../../core/steps/steps.ts';
import { aNode, aRun, startedAt } from './run-status-fixture.ts';

const rows = [
  ['WORKLOAD', 'PODS', 'HOW', 'WHY'],
  ['Deployment default/web', '12', 'pod surge', '-'],
  [
    'Deployment shop/checkout',
    '4',
    'evicted',
    'its pods keep apart by host, and cordoned nodes stay domains. Set Honor',
  ],
];
const words = (lines: readonly string[]) =>
  lines
    .join(' ')
    .split(/[\s,]+/)
    .filter(Boolean)
    .toSorted();

describe('a table', () => {
  test.each([200, 100, 80, 60, 40, 24])(
    'has no line longer than a terminal of %d columns, and loses no word',
    (width) => {
      const lines = renderTable(rows, width);
      for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(width);
      if (width >= 60) expect(words(lines)).toEqual(words(renderTable(rows)));
    },
  );

  test('continues long cells on the next line', () => {
    expect(renderTable(rows, 80)).toEqual([
      'WORKLOAD                   PODS   HOW         WHY',
      'Deployment default/web     12     pod surge   -',
      'Deployment shop/checkout   4      evicted     its pods keep apart by host, and',
      '                                              cordoned nodes stay domains. Set',
      '                                              Honor',
    ]);
  });

  test('that has no room for its columns becomes a paragraph for each row', () => {
    const narrow = [
      ['NODE', 'OUT', 'GONE', 'BACK'],
      ['ip-10-0-0-1', '+1.0s', '+200.0s', '-'],
    ];
    expect(renderTable(narrow, 24)).toEqual(['ip-10-0-0-1', '  OUT +1.0s, GONE', '  +200.0s']);
  });
});

test('a report fits the terminal, and still has all figures', () => {
  const evidence = evidenceKinds.map((kind, index) => ({ kind, at: startedAt + index * 1_234, detail: '' }));
  const nodes = [aNode('ip-10-0-12-34.eu-west-1.compute.internal', { step: 'replaced', evidence })];
  const unprotected = ['Service default/shop: an address that somebody has written by hand, and that nobody keeps'];
  const report: RunReport = {
    ...aRun({ nodes }),
    outcome: 'completed',
    durationMs: 1,
    newNodes: [],
    leftovers: [],
    unprotected,
  };
  const wide = renderReport(report, plainStyle);
  const narrow = renderReport(report, { ...plainStyle, width: 80 });
  expect(Math.max(...wide.map((line) => stringWidth(line)))).toBeGreaterThan(80);
  for (const line of narrow) expect(stringWidth(line), line).toBeLessThanOrEqual(80);
  for (const figure of wide.join(' ').match(/\+\d+\.\ds/g) ?? []) expect(narrow.join(' ')).toContain(figure);
});

test('a word that is wider than the terminal is cut, what hangs below stays below', () => {
  expect(breakText('fix: nodeferry-has-no-room here', 12, '  ')).toEqual([
    'fix:',
    '  nodeferry-',
    '  has-no-roo',
    '  m here',
  ]);
});
