import { describe, expect, test } from 'vitest';
import { maxDetailBytes, renderDetails, renderNodeDetails } from '../../../core/status/render-details.ts';
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

test('the page says that a run is rolled back, to which pool, by whom and why', () => {
  const rollback = { by: 'ann', reason: 'a bad version', at: nine };
  const page = renderDetails({ ...status, phase: 'rolling-back', rollback });
  expect(page).toContain('rolling back to web by ann at 09:00:00: a bad version');
  expect(renderDetails({ ...status, phase: 'rolling-back' })).not.toContain('rolling back to web');
});

describe('the details page', () => {
  test('shows the run, its progress, and what each node waits for and since when', () => {
    expect(renderDetails(status)).toBe(`## c/web → web-1-34 · 1.33 → 1.34

**replace** · 1 of 2 nodes replaced · run \`r1\` · since 09:00:00

Traffic: 1200 sent, **0 lost**, 1 slow

| name | zone | step | since | deadline | reason |
|---|---|---|---|---|---|
| n2 | a | evicting pods | 09:00:00 | 09:15:00 | budget default/web needs 3 healthy and has 3; action: another ready pod |

1 node replaced

What operators did:

- 09:00:00 start by ada: new kernel
`);
  });

  test('shows why nodes were excluded, and of many reasons the latest', () => {
    const excluded = (name: string, at: number, because: string) =>
      node(name, { evidence: [{ kind: 'excluded', at: nine + at, detail: 'label', because }] });
    const two = [excluded('n1', 1, 'it serves nothing'), excluded('n2', 0, 'it serves nothing')];
    expect(renderDetails({ ...status, nodes: two })).toContain(
      'Nodes were excluded because:\n\n- it serves nothing: n2, n1\n',
    );
    const page = renderDetails({ ...status, nodes: many((index) => excluded(`n${index}`, index, `reason ${index}`)) });
    expect(page).toContain('- 990 earlier ones are in the report\n- reason 990: n990\n');
  });

  test('shows stalls and pauses first', () => {
    const page = renderDetails({
      ...status,
      stalled: { code: 'DeadlineExceeded', message: 'waited 15 m', hint: 'Resume it.' },
      paused: { by: 'ada', reason: 'lunch', at: nine },
      waiting: { for: 'capacity', since: nine, until: undefined },
    });
    expect(page).toContain('> **stalled**: DeadlineExceeded: waited 15 m\n>\n> fix: Resume it.');
    expect(page).toContain('> **paused** by ada at 09:00:00: lunch');
    expect(page).toContain('Waiting: capacity, since 09:00:00');
  });

  test('escapes text that would break the table', () => {
    const problem = { code: 'Internal', message: 'a | b\nc' } as const;
    expect(renderDetails({ ...status, nodes: [node('n1', { step: 'stalled', problem })] })).toContain(
      '| stalled |  |  | Internal; a \\| b c |',
    );
  });

  test('names disabled rules', () => {
    expect(renderDetails({ ...status, disabledRules: ['capacity-guard'] })).toContain(
      'UNPROTECTED: disabled: capacity-guard',
    );
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
    expect(page).toContain('took 1h 5m');
    expect(page).toContain(
      'Outcome: **completed**\n\nThere are no leftovers.\n\nUnprotected: service default/api: ages unknown',
    );
    expect(renderDetails({ ...report, leftovers: ['node n1: cordon'] })).toContain('Leftovers: node n1: cordon');
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
    expect(page).toContain('- 2 earlier ones are in the report\n- external change at 09:00:02: act 2\n');
    expect(page).toContain('- external change at 09:00:21: act 21');
    expect(page).toContain('| n2 | a | restoring |  |  | restored because default/web has too few without it |');
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
    expect(page).toContain('2 nodes pending: n3, n4\n\n2 nodes replaced\n');
  });

  test.each([
    [
      'nodes in progress',
      {
        nodes: many((index) =>
          node(`ip-10-0-0-${index}`, { step: 'evicting', waiting: { ...long, since: nine + index } }),
        ),
      },
    ],
    [
      'trouble',
      {
        nodes: many((index) =>
          node(`ip-${index}`, { step: 'stalled', problem: { ...wordy, hint: `${index} ${wordy.hint}` } }),
        ),
      },
    ],
    ['nodes that are done', { nodes: many((index) => node(`ip-${index}`, { step: 'replaced' })) }],
    ['resumes', { actions: many((at) => ({ action: 'resume' as const, by: 'ann', reason: 'x'.repeat(2_000), at })) }],
    ['external changes', { externalChanges: many((at) => ({ at, what: '“…”'.repeat(500) })) }],
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

  test('has one row for nodes that are alike', () => {
    const page = renderDetails({
      ...status,
      nodes: many((index) => node(`ip-${index}`, { step: 'evicting', waiting: long })),
    });
    expect(page).toContain('| ip-0, ip-1, ip-2 and 997 more |  | evicting pods | 09:00:00 |');
  });

  test('says how many rows it leaves out', () => {
    const page = renderDetails({
      ...status,
      nodes: many((index) =>
        node(`ip-${index}`, { step: 'evicting', waiting: { ...long, since: nine + 1_000 * index } }),
      ),
    });
    const rows = page.split('\n').filter((line) => line.startsWith('| ip-')).length;
    expect(rows).toBeGreaterThan(20);
    expect(page).toContain(`${1_000 - rows} more nodes in progress`);
  });
});

describe('the details page of one node', () => {
  test('says where it is, since when, what is wrong, how to fix it, and what was observed', () => {
    const page = renderNodeDetails(
      node('n1', {
        step: 'stalled',
        problem: { code: 'DeadlineExceeded', message: 'pods | are left', hint: 'Raise the budget.' },
        waiting: { for: 'an operator: evicting', since: nine, until: undefined, action: 'resume' },
        evidence: [{ kind: 'excluded', at: nine, detail: 'label set' }],
        externalChanges: [{ at: nine, what: 'somebody uncordoned n1' }],
      }),
    );
    expect(page.split('\n').filter((line) => !/^>?$/.test(line))).toEqual([
      '**n1** (i-n1, a): stalled',
      'since 09:00:00; DeadlineExceeded',
      '> pods \\| are left',
      '> fix: Raise the budget.',
      '> waits for an operator: evicting',
      '> action: resume',
      '- 09:00:00 excluded: label set',
      '- external change at 09:00:00: somebody uncordoned n1',
    ]);
  });
});
