import { describe, expect, test } from 'vitest';
import { formatMinutes, minuteTicks } from '../../client/report/minute-ticks.ts';
import { timelineOf } from '../../client/report/timeline.ts';
import type { Evidence, NodeStatus } from '../../core/status/status.ts';
import type { EvidenceKind } from '../../core/steps/steps.ts';
import { aReport } from './run-report-fixture.ts';
import { aNode, startedAt } from './run-status-fixture.ts';

const seen = (kind: EvidenceKind, second: number): Evidence => ({ kind, at: startedAt + second * 1000, detail: '' });

/** The bars of a node, in seconds after the start of a run of 100 s. */
function barsOf(changes: Partial<NodeStatus>, newNodes = false) {
  const node = aNode('n1', changes);
  const report = aReport({
    nodes: [node],
    durationMs: 100_000,
    traffic: { sent: 1, lost: 0, slow: 0 },
    newNodes: newNodes ? [node.node] : [],
  });
  const [row] = timelineOf(report).zones.flatMap(({ rows }) => rows);
  const after = (at: number) => (at - startedAt) / 1000;
  return row?.bars.map(({ step, from, to }) => `${step} ${after(from)}-${after(to)}`);
}

describe('the bars of a node', () => {
  test('are its steps between its pieces of evidence, whatever their order', () => {
    const evidence = [
      seen('deregistered', 20),
      seen('excluded', 10),
      seen('evicted', 50),
      seen('connections-drained', 50),
    ];
    expect(barsOf({ step: 'replaced', evidence })).toEqual(['pending 0-10', 'deregistering 10-20', 'evicting 20-50']);
  });

  test('end with the step in which the run left the node', () => {
    expect(barsOf({ step: 'stalled', evidence: [seen('excluded', 10)] })).toEqual(['pending 0-10', 'stalled 10-100']);
    expect(barsOf({ step: 'replacing' })).toEqual(['pending 0-100']);
  });

  test('end when the node was restored', () => {
    const evidence = [seen('excluded', 10), seen('deregistered', 12), seen('restored', 30)];
    expect(barsOf({ step: 'restored', evidence })).toEqual(['pending 0-10', 'deregistering 10-12', 'restoring 12-30']);
  });

  test('of a node that the run added begin with what was observed first', () => {
    expect(barsOf({ step: 'replaced', evidence: [seen('excluded', 60), seen('terminated', 90)] }, true)).toEqual([
      'terminating 60-90',
    ]);
    expect(barsOf({ step: 'pending' }, true)).toEqual([]);
  });
});

test('a timeline reaches to the last loss, which may come after the last step', () => {
  const loss = { from: startedAt + 110_000, to: startedAt + 120_000, lost: 1, canBeOurs: false, nodes: [] };
  const losses = [{ probe: 'web', lost: 1, whileNoneOut: 1, spells: [loss] }];
  const report = aReport({ nodes: [], durationMs: 100_000, traffic: { sent: 9, lost: 1, slow: 0, losses } });
  expect(timelineOf(report).to).toBe(startedAt + 120_000);
});

test.each([
  [90_000, '0 0.25 0.5 0.75 1 1.25 1.5'],
  [840_000, '0 2 4 6 8 10 12 14'],
  [12_100_000, '0 30 60 90 120 150 180'],
])('an axis of %d ms has round minutes', (lengthMs, ticks) => {
  expect(minuteTicks(lengthMs).map(formatMinutes).join(' ')).toBe(ticks);
});

test('an axis of months still has only a dozen ticks', () => {
  expect(minuteTicks(400 * 86_400_000).length).toBeLessThanOrEqual(12);
});
