import { describe, expect, test } from 'vitest';
import { maxDetailBytes, renderDetails } from '../../../core/status/render-details.ts';
import type { NodeStatus, RunReport, RunStatus } from '../../../core/status/status.ts';
import { aNode, nodeRefOf } from '../support/facts.ts';

const nine = Date.UTC(2026, 0, 5, 9, 0, 0);
const node = (name: string, changes: Partial<NodeStatus> = {}): NodeStatus => ({
  node: nodeRefOf(aNode(name)),
  step: 'pending',
  waiting: undefined,
  evidence: [],
  ...changes,
});

const status: RunStatus = {
  run: 'r1',
  workflowId: 'pool-upgrade/c/web',
  cluster: 'c',
  pool: 'web',
  newPool: 'web-1-34',
  fromVersion: '1.33',
  toVersion: '1.34',
  phase: 'replace',
  startedAt: nine,
  finishedAt: undefined,
  paused: undefined,
  stalled: undefined,
  waiting: undefined,
  nodes: [
    node('n1', { step: 'replaced', evidence: [{ kind: 'node-deleted', at: nine + 60_000, detail: 'i-n1' }] }),
    node('n2', {
      step: 'evicting',
      waiting: {
        for: 'budget default/web needs 3 healthy and has 3',
        since: nine,
        until: nine + 900_000,
        action: 'another ready pod',
      },
    }),
  ],
  traffic: { sent: 1200, lost: 0, slow: 1 },
  probes: 2,
  disabledRules: [],
  actions: [{ action: 'start', by: 'ada', reason: 'new kernel', at: nine }],
  externalChanges: [],
};

const many = <T>(make: (index: number) => T): readonly T[] => Array.from({ length: 1_000 }, (_, index) => make(index));
const long = { for: 'budget default/web needs 3 healthy and has 3 '.repeat(20), since: nine, until: undefined };
const wordy = { code: 'Internal', message: 'no answer '.repeat(1_000), hint: 'try again '.repeat(1_000) } as const;

describe('the details page', () => {
  test('shows the run, its progress, and what each node waits for and since when', () => {
    expect(renderDetails(status)).toBe(`## c/web → web-1-34 · 1.33 → 1.34

**replace** · 1 of 2 nodes replaced · run \`r1\` · since 09:00:00

Traffic: 1200 sent, **0 lost**, 1 slow

| node | zone | step | detail |
|---|---|---|---|
| n2 | a | evicting pods | budget default/web needs 3 healthy and has 3 (since 09:00:00, until 09:15:00); unblocked by another ready pod |

1 node replaced

- 09:00:00 start by ada: new kernel
`);
  });

  test('shows a stall and a pause first', () => {
    const page = renderDetails({
      ...status,
      stalled: { code: 'DeadlineExceeded', message: 'waited 15 m', hint: 'Resume it.' },
      paused: { by: 'ada', reason: 'lunch', at: nine },
      waiting: { for: 'capacity', since: nine, until: undefined },
    });
    expect(page).toContain('> **Stalled** (DeadlineExceeded): waited 15 m\n>\n> Resume it.');
    expect(page).toContain('> **Paused** by ada at 09:00:00: lunch');
    expect(page).toContain('Waiting: capacity (since 09:00:00)');
  });

  test('escapes text that would break the table', () => {
    const problem = { code: 'Internal', message: 'a | b\nc' } as const;
    expect(renderDetails({ ...status, nodes: [node('n1', { step: 'stalled', problem })] })).toContain(
      '| needs attention | a \\| b c |',
    );
  });

  test('names rules that are off', () => {
    expect(renderDetails({ ...status, disabledRules: ['capacity-guard'] })).toContain('Switched off: capacity-guard');
  });

  test('ends with the outcome, the leftovers and the unprotected Services', () => {
    const report: RunReport = {
      ...status,
      phase: 'completed',
      finishedAt: nine + 3_900_000,
      outcome: 'completed',
      durationMs: 3_900_000,
      newNodes: [],
      leftovers: [],
      unprotected: ['service default/api: ages unknown'],
    };
    const page = renderDetails(report);
    expect(page).toContain('took 1 h 5 m');
    expect(page).toContain(
      'Outcome: **completed**\n\nNothing of ours is left behind.\n\nNot protected: service default/api: ages unknown',
    );
    expect(renderDetails({ ...report, leftovers: ['node n1: cordon'] })).toContain('Left behind: node n1: cordon');
  });

  test('lists external changes, the latest last, and why a node is restored', () => {
    const acts = Array.from({ length: 22 }, (_, index) => ({ at: nine + index * 1000, what: `act ${index}` }));
    const page = renderDetails({
      ...status,
      externalChanges: acts.slice(1),
      nodes: [
        node('n1', { externalChanges: acts.slice(0, 1) }),
        node('n2', { step: 'restoring', restoredBecause: 'default/web has too few without it' }),
      ],
    });
    expect(page).toContain('Others’ doing meanwhile:\n\n- 2 earlier ones are in the report\n- 09:00:02 act 2\n');
    expect(page).toContain('- 09:00:21 act 21');
    expect(page).toContain('| n2 | a | putting back | restored because default/web has too few without it |');
  });

  test('starts with stalled nodes, then those in progress, and counts the rest', () => {
    const problem = { code: 'Internal', message: 'no answer' } as const;
    const page = renderDetails({
      ...status,
      nodes: [
        node('n1', { step: 'replaced' }),
        node('n2', { step: 'replaced' }),
        node('n3'),
        node('n4'),
        node('n5', { step: 'evicting' }),
        node('n6', { problem }),
        node('n7', { step: 'stalled', problem }),
      ],
    });
    const rows = page.split('\n').filter((line) => /^\| n\d/.test(line));
    expect(rows.map((row) => row.slice(2, 4))).toEqual(['n6', 'n7', 'n5']);
    expect(page).toContain('2 nodes waiting: n3, n4\n\n2 nodes replaced\n');
  });

  test.each([
    ['nodes under way', { nodes: many((index) => node(`ip-10-0-0-${index}`, { step: 'evicting', waiting: long })) }],
    ['trouble', { nodes: many((index) => node(`ip-${index}`, { step: 'stalled', problem: wordy })) }],
    ['nodes that are done', { nodes: many((index) => node(`ip-${index}`, { step: 'replaced' })) }],
    ['resumes', { actions: many((at) => ({ action: 'resume' as const, by: 'ann', reason: 'x'.repeat(2_000), at })) }],
    ['acts of others', { externalChanges: many((at) => ({ at, what: '“…”'.repeat(500) })) }],
    [
      'letters of several bytes everywhere',
      {
        actions: many((at) => ({ action: 'resume' as const, by: '…'.repeat(300), reason: '…'.repeat(300), at })),
        externalChanges: many((at) => ({ at, what: '…'.repeat(300) })),
        stalled: { ...wordy, message: '…'.repeat(2_000) },
      },
    ],
    ['lines in a reason', { stalled: { ...wordy, message: 'é"\n'.repeat(5_000) } }],
  ] satisfies readonly (readonly [string, Partial<RunStatus>])[])(
    'fits into what Temporal takes with many %s',
    (_, changes) => {
      const page = renderDetails({ ...status, ...changes });
      expect(new TextEncoder().encode(JSON.stringify(page)).length).toBeLessThanOrEqual(maxDetailBytes);
      expect(page).toContain('## c/web → web-1-34');
    },
  );

  test('says how many rows it leaves out', () => {
    const page = renderDetails({
      ...status,
      nodes: many((index) => node(`ip-${index}`, { step: 'evicting', waiting: long })),
    });
    const rows = page.split('\n').filter((line) => line.startsWith('| ip-')).length;
    expect(rows).toBeGreaterThan(20);
    expect(page).toContain(`${1_000 - rows} more nodes under way`);
  });
});
