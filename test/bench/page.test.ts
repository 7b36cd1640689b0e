import { expect, test } from 'vitest';
import { benchRows, renderPage } from '../../bench/page.ts';
import type { BenchRun } from '../../bench/runs.ts';

const podSurge: BenchRun = {
  nodes: 4,
  order: 'pod-surge',
  requests: { sent: 20_123, lost: 0, cut: 0, slow: 0 },
  durationSeconds: 70.4,
  nodesReadySeconds: 12.3,
  lowerBoundSeconds: 64,
  lowerBoundTerms: [
    { name: 'boot', seconds: 3 },
    { name: 'registration', seconds: 61 },
  ],
  instanceMinutes: 4.2,
  leastInstanceMinutes: 3.9,
  historyEventsPerNode: 80,
};
const script: BenchRun = {
  ...podSurge,
  order: 'script',
  requests: { sent: 40_000, lost: 450, cut: 1, slow: 3 },
  lowerBoundSeconds: undefined,
  lowerBoundTerms: [],
  leastInstanceMinutes: undefined,
  nodesReadySeconds: undefined,
};

test('rows compare loss, time and cost; only nodeferry has a bound', () => {
  expect(benchRows([podSurge, script]).slice(1)).toEqual([
    [
      '4',
      'nodeferry, with pod surge',
      '20,123',
      '0',
      '0',
      '0',
      '70 s',
      '1.10 × 64.0 s',
      '12 s',
      '58 s',
      '4.2 (least 3.9)',
    ],
    ['4', 'script: exclude, sleep 30 s, drain, terminate', '40,000', '450', '1', '3', '70 s', '–', '–', '–', '4.2'],
  ]);
});

test('the page names the host and writes bounds term by term', () => {
  const page = renderPage({
    machine: '2 × a processor, 24 GB',
    node: '24.0.0',
    date: '2026-01-02',
    runs: [podSurge, script],
    refused: [{ nodes: 2, order: 'serial', why: 'no zone can spare a node' }],
  });
  expect(page).toContain('on 2026-01-02: 2 × a processor, 24 GB, Node 24.0.0.');
  expect(page).toContain('| 4 | nodeferry, with pod surge | 20,123 |');
  expect(page).toContain('- Bound of 4 nodes, nodeferry, with pod surge: 64.0 s = boot 3.0 s, registration 61.0 s.');
  expect(page.match(/^- Bound of/gm)).toHaveLength(1);
  expect(page).toContain(
    '- 2 nodes, nodeferry, without pod surge: refused before anything was touched: no zone can spare a node.',
  );
});

test('the page says how the time with pod surge grows with the pool', () => {
  const place = { machine: 'm', node: '24.0.0', date: '2026-01-02', refused: [] };
  const large = { ...podSurge, nodes: 8, durationSeconds: 80.3, nodesReadySeconds: 16.4 };
  expect(renderPage({ ...place, runs: [large, script, podSurge] })).toContain('8 nodes take 1.10 times as long as 4.');
  expect(renderPage({ ...place, runs: [podSurge] })).not.toContain('times as long');
});
