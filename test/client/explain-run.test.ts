import { describe, expect, test } from 'vitest';
import { explainRun } from '../../client/explain/explain-run.ts';
import { plainStyle } from '../../client/output/style.ts';
import { renderRunExplanation } from '../../client/view/run-explanation.ts';
import type { SeenRun } from '../../client/view/seen-run.ts';
import type { BudgetDemand } from '../../core/model/budget-demand.ts';
import { aNode, aRun, startedAt } from './run-status-fixture.ts';

const now = startedAt + 600_000;

const stuck = aRun({
  paused: { by: 'ann', reason: 'error rate is up', at: startedAt + 60_000 },
  approval: { of: 'zone eu-west-1b', since: startedAt, until: now + 3_600_000, onTimeout: 'abort' },
  stalled: { code: 'LockLost', message: 'the lock on the pool was lost', hint: 'Find out who deleted the Lease.' },
  nodes: [
    aNode('n1', { step: 'replaced' }),
    aNode('n2', {
      step: 'evicting',
      waiting: {
        for: '2 pods blocked',
        since: startedAt,
        until: now + 60_000,
        blocked: [
          { pod: 'shop/api-1', budget: 'shop/api', needs: 3, has: 3, since: startedAt + 9_000, reason: 'budget' },
          { pod: 'shop/api-2', budget: 'shop/api', needs: 3, has: 3, since: startedAt + 5_000, reason: 'budget' },
        ],
      },
    }),
    ...['n3', 'n4'].map((name) =>
      aNode(name, {
        step: 'draining-connections',
        waiting: { for: 'k8s-web: 12 connections', since: startedAt + 300_000, until: now + 85_000 },
      }),
    ),
    aNode('n5', {
      step: 'stalled',
      problem: { code: 'DeadlineExceeded', message: 'pod shop/db-0 did not end', hint: 'Remove its finalizer.' },
      waiting: { for: 'resume', since: startedAt + 100_000, until: undefined },
    }),
  ],
});

function whats(run: SeenRun): readonly string[] {
  return explainRun(run).reasons.map(({ what }) => what);
}

interface Counts {
  readonly needs: number;
  readonly has: number;
  readonly expects: number;
  readonly demand?: BudgetDemand;
}

/** A run one node of which cannot be emptied because of a budget with these counts. */
function blockedBy(counts: Counts): SeenRun {
  const blocked = [{ pod: 'shop/api-1', budget: 'shop/api', ...counts, since: startedAt, reason: 'budget' }];
  const waiting = { for: '1 pod blocked', since: startedAt, until: now + 60_000, blocked };
  return aRun({ nodes: [aNode('n1', { step: 'evicting', waiting })] });
}

describe('explainRun', () => {
  test.each([
    [{ needs: 4, has: 4, expects: 4 }, /never lets one leave\.$/, /maxUnavailable: 1/, 'kubectl -n shop edit pdb api'],
    [{ needs: 4, has: 3, expects: 4 }, /never lets one leave\.$/, /maxUnavailable: 1/, 'kubectl -n shop edit pdb api'],
    [
      { needs: 3, has: 3, expects: 4 },
      /needs 3 of 4 healthy, has 3\.$/,
      /more than 3/,
      'kubectl -n shop describe pdb api',
    ],
    [
      { needs: 2, has: 4, expects: 4 },
      /one pod leave at a time\.$/,
      /the replacement/,
      'kubectl -n shop describe pdb api',
    ],
  ])('tells budgets that never allow a disruption from those that will: %o', (counts, what, unblock, command) => {
    const [reason] = explainRun(blockedBy(counts)).reasons;
    expect(reason?.what).toMatch(what);
    expect(reason?.unblock).toMatch(unblock);
    expect(reason?.command).toBe(command);
  });

  test('says how many pods a budget needs to let one leave, or that no number is enough', () => {
    const minAvailable = (amount: number): BudgetDemand => ({ field: 'minAvailable', amount, isPercentage: true });
    const unblock = (demand: BudgetDemand) =>
      explainRun(blockedBy({ needs: 4, has: 4, expects: 4, demand })).reasons[0]?.unblock;
    expect(unblock(minAvailable(90))).toContain('run at least 10 of its pods');
    expect(unblock(minAvailable(100))).toContain('More of its pods do not help');
  });

  test('names what needs an operator first, then what blocks nodes, then what continues by itself', () => {
    expect(whats(stuck)).toEqual([
      'The run is stalled. LockLost: the lock on the pool was lost',
      'The run is paused by ann: error rate is up. It starts no further node.',
      'The run waits for approval of zone eu-west-1b.',
      'Node n5 is stalled. DeadlineExceeded: pod shop/db-0 did not end',
      'Pods shop/api-1, shop/api-2 cannot leave n2: PodDisruptionBudget shop/api needs 3 healthy, has 3.',
      '2 nodes (n3, n4) wait at step draining connections: k8s-web: 12 connections.',
    ]);
  });

  test('gives the exact next command', () => {
    expect(explainRun(stuck).reasons.map(({ command }) => command)).toEqual([
      'nodeferry resume prod/web',
      'nodeferry resume prod/web',
      'nodeferry approve prod/web --of "zone eu-west-1b"',
      'nodeferry retry prod/web --node n5',
      'kubectl -n shop describe pdb api',
      undefined,
    ]);
  });

  test('says of a closed window when it opens, and how to continue without it', () => {
    const detail = 'an upgrade window: none is open; continues Mon 22:00';
    const run = aRun({
      window: { mayStart: false, detail, until: now + 3_600_000, checkedAt: now },
      waiting: { for: detail, since: startedAt, until: now + 3_600_000, action: 'none' },
    });

    expect(explainRun(run).reasons).toEqual([
      {
        what: `The run waits for ${detail}.`,
        since: startedAt,
        until: now + 3_600_000,
        unblock: expect.stringContaining('by itself when a window opens'),
        command: 'nodeferry override-window prod/web --reason WHY',
      },
    ]);
  });

  test('reports a stall that comes from a node, and a missing approval, once', () => {
    const problem = { code: 'DeadlineExceeded', message: 'too late' } as const;
    const approval = { of: 'canary', since: startedAt, until: undefined, onTimeout: 'stall' } as const;

    expect(whats(aRun({ stalled: problem, nodes: [aNode('n1', { step: 'stalled', problem })] }))).toHaveLength(1);
    expect(whats(aRun({ stalled: { code: 'ApprovalMissing', message: 'nobody' }, approval }))).toEqual([
      'The run waits for approval of canary.',
    ]);
  });

  test('says of runs that have ended only what is left to do', () => {
    const ended = { finishedAt: now, phase: 'completed' } as const;
    const terminated = { state: 'terminated', closedAt: now, by: 'bob', reason: 'a mistake' } as const;

    expect(explainRun(aRun(ended)).reasons).toEqual([]);
    expect(explainRun({ ...stuck, workflow: terminated }).reasons).toMatchObject([
      { what: expect.stringContaining('terminated by bob'), command: 'nodeferry cleanup prod/web' },
    ]);
    expect(
      explainRun({ ...stuck, finishedAt: now, phase: 'failed', workflow: { state: 'failed', closedAt: now } }).reasons,
    ).toMatchObject([{ what: expect.stringContaining('LockLost'), command: 'nodeferry report prod/web' }]);
  });
});

test.each([80, 160])('renderRunExplanation fits %i columns', (width) => {
  const lines = renderRunExplanation(explainRun(stuck), now, { ...plainStyle, width });

  expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
});

test('renderRunExplanation says that nothing is waited for', () => {
  expect(renderRunExplanation(explainRun(aRun()), now, plainStyle)).toEqual([
    'prod/web: replace.',
    'It waits for nothing.',
  ]);
});
