import { expect, test } from 'vitest';
import { measureOrders } from '../../demo/measured-orders.ts';
import type { DemoReport } from '../../demo/report.ts';
import { drawOrdersPicture } from '../../scripts/generate/orders-picture.ts';
import { aReplacedNode } from '../client/run-report-fixture.ts';
import { startedAt } from '../client/run-status-fixture.ts';

const counts = { sent: 12_345, lost: 0, cut: 0, slow: 0 };

function aDemo(changes: Partial<DemoReport>): DemoReport {
  return {
    order: 'nodeferry',
    outcome: 'completed',
    requests: counts,
    newConnections: 1,
    perStream: {},
    durationSeconds: 440.04,
    lowerBoundSeconds: undefined,
    lowerBoundTerms: [],
    nodes: [],
    acts: [],
    startedAt,
    lossesPerSecond: [0, 0, 0],
    historyEventsPerNode: undefined,
    versions: { from: '1.35', to: '1.36' },
    disabledRules: [],
    ...changes,
  };
}

const name = 'ip-10-0-1-11.eu-west-1.compute.internal';
const nodeferry = aDemo({ nodes: [aReplacedNode(name, 'eu-west-1a', 20)] });
const at = (seconds: number) => startedAt + seconds * 1000;
const usual = aDemo({
  order: 'naive',
  requests: { ...counts, lost: 1_230, cut: 4 },
  durationSeconds: 67,
  lossesPerSecond: [0, 0, 7, 0, 1_227],
  acts: [
    { node: name, act: 'drain', from: at(12.04), to: at(20) },
    { node: name, act: 'terminate', from: at(20), to: at(21) },
  ],
});

test('of the reports of two demos is kept what a picture shows', () => {
  expect(measureOrders(nodeferry, usual)).toEqual({
    date: '2026-01-02',
    nodeferry: {
      seconds: 440,
      sent: 12_345,
      bad: 0,
      lossesPerSecond: [],
      nodes: [
        {
          name: 'ip-10-0-1-11',
          leavesLoadBalancers: { from: 20, to: 150 },
          podsLeave: { from: 150, to: 180 },
          terminatedAt: 370,
        },
      ],
    },
    usual: {
      seconds: 67,
      sent: 12_345,
      bad: 1_234,
      lossesPerSecond: [0, 0, 7, 0, 1_227],
      nodes: [{ name: 'ip-10-0-1-11', podsLeave: { from: 12, to: 20 }, terminatedAt: 21 }],
    },
  });
});

test('reports in the wrong order, and of a run that did not end, are refused', () => {
  expect(() => measureOrders(usual, nodeferry)).toThrow(/nodeferry first/);
  const [node] = nodeferry.nodes;
  const cut = { ...nodeferry, nodes: node === undefined ? [] : [{ ...node, evidence: node.evidence.slice(0, 3) }] };
  expect(() => measureOrders(cut, usual)).toThrow(/has no connections-drained/);
});

test('the picture has a bar for each second with losses, and says what each order lost', () => {
  const picture = drawOrdersPicture(measureOrders(nodeferry, usual));
  expect(picture.match(/fill="#cf222e"\/>/g)).toHaveLength(2 + 1);
  expect(picture).toContain('>1,234 of 12,345 requests lost or reset, 67 s<');
  expect(picture).toContain('>none of 12,345 requests lost or reset, 440 s<');
});
