import { describe, expect, test } from 'vitest';
import { plainStyle } from '../../client/output/style.ts';
import { describeChanges } from '../../client/view/changes.ts';
import { renderReport, renderTimeline } from '../../client/view/report.ts';
import { renderTable } from '../../client/view/table.ts';
import { renderTree } from '../../client/view/tree.ts';
import { formatDuration } from '../../core/text/format.ts';
import { aNode, aRun, startedAt } from './run-status-fixture.ts';

const now = startedAt + 125_000;

describe('renderTree', () => {
  test('shows pool, nodes, steps, and what each waits for, since and until', () => {
    const run = aRun({
      traffic: { sent: 1200, lost: 0, slow: 1 },
      nodes: [
        aNode('n1', {
          step: 'replaced',
          evidence: [{ kind: 'terminated', at: startedAt + 60_000, detail: 'i-n1 terminated' }],
        }),
        aNode('n2', {
          step: 'draining-connections',
          waiting: { for: 'k8s-web: deregistration delay', since: startedAt + 100_000, until: startedAt + 185_000 },
        }),
        aNode('n3'),
      ],
    });

    expect(renderTree(run, now, plainStyle).join('\n')).toBe(
      [
        'prod/web   1.35.9 → 1.36.3   replace   1/3 nodes   elapsed 2m 5s',
        '     NAME   ZONE         STEP                   SINCE   DEADLINE           REASON',
        '├─ ✔ n1     eu-west-1a   replaced',
        '├─ ◎ n2     eu-west-1a   draining connections   25s     in 1m (03:07:10)   k8s-web: deregistration delay',
        '└─ ○ n3     eu-west-1a   pending',
        'probes: 1200 sent, 0 lost, 1 slow',
      ].join('\n'),
    );
  });

  test('names pod, budget, needs and has of a blocked eviction', () => {
    const run = aRun({
      nodes: [
        aNode('n1', {
          step: 'evicting',
          waiting: {
            for: '1 pod blocked',
            since: startedAt,
            until: now + 60_000,
            blocked: [
              {
                pod: 'default/api-1',
                budget: 'default/api',
                needs: 3,
                has: 3,
                since: startedAt + 65_000,
                reason: 'budget',
              },
            ],
          },
        }),
      ],
    });

    const tree = renderTree(run, now, plainStyle);
    expect(tree[2]).toBe('└─ ◎ n1     eu-west-1a   evicting pods   2m 5s   in 1m (03:07:10)   blocked');
    expect(tree.slice(3, 5)).toEqual([
      '     waits for 1 pod blocked',
      '     pod default/api-1 blocked since 03:05:10: pdb default/api needs 3 healthy, has 3',
    ]);
  });

  test('shows nodes that are alike in one row, and of a stalled one cause, fix and what helps', () => {
    const problem = { code: 'NodeUnreachable', message: 'n5 does not answer', hint: 'end its instance' } as const;
    const waiting = { for: 'an operator', since: startedAt, until: undefined, action: 'the end of i-n5' };
    const run = aRun({
      nodes: [
        ...['n1', 'n2', 'n3', 'n4'].map((name, index) =>
          aNode(name, { step: 'replaced', evidence: [{ kind: 'terminated', at: startedAt + index, detail: name }] }),
        ),
        aNode('n5', { step: 'stalled', problem, waiting }),
        aNode('n6'),
        aNode('n7'),
      ],
    });

    expect(renderTree(run, now, plainStyle).slice(1, -1)).toEqual([
      '     NAME      ZONE         STEP       SINCE   DEADLINE   REASON',
      '├─ ✔ 4 nodes                replaced',
      '│    n1, n2, n3 and 1 more',
      '├─ ▲ n5        eu-west-1a   stalled    2m 5s              NodeUnreachable',
      '│    n5 does not answer',
      '│    fix: end its instance',
      '│    waits for an operator',
      '│    action: the end of i-n5',
      '└─ ○ 2 nodes                pending',
      '     n6, n7',
    ]);
  });

  test('says of a skipped node by whom and why, and of a stalled one how to continue without the others', () => {
    const problem = { code: 'DeadlineExceeded', message: 'n2 is stuck' } as const;
    const skipped = { by: 'ann', reason: 'a batch job', at: now };
    const run = aRun({
      stalled: problem,
      nodes: [aNode('n1', { step: 'skipped', skipped }), aNode('n2', { step: 'stalled', problem })],
    });

    const tree = renderTree(run, now, plainStyle);

    expect(tree[0]).toContain('0/2 nodes, 1 skipped');
    expect(tree.slice(2, 4)).toEqual(['├─ ↷ n1     eu-west-1a   skipped', '│    skipped by ann: a batch job']);
    expect(tree.slice(-2)).toEqual([
      'then: nodeferry resume prod/web   or: nodeferry abort prod/web',
      'for one node: nodeferry retry prod/web --node n2   or: nodeferry skip prod/web --node n2 --reason <why>',
    ]);
  });

  test('says why the run is stalled and both ways to continue', () => {
    const run = aRun({ stalled: { code: 'DeadlineExceeded', message: 'n1 is stuck', hint: 'scale up' } });

    const text = renderTree(run, now, plainStyle).join('\n');

    expect(text).toContain('stalled: DeadlineExceeded: n1 is stuck');
    expect(text).toContain('fix: scale up');
    expect(text).toContain('nodeferry resume prod/web   or: nodeferry abort prod/web');
  });

  test('names only commands that a stalled run would take', () => {
    const problem = { code: 'DeadlineExceeded', message: 'n1 is stuck' } as const;
    const abort = { action: 'abort', by: 'ann', reason: '', at: now } as const;
    const rollback = { by: 'ann', reason: 'a bad version', at: now };
    const stalled = { stalled: problem, nodes: [aNode('n1', { step: 'stalled', problem })] };
    const waysOf = (changes: Parameters<typeof aRun>[0]) =>
      renderTree(aRun({ ...stalled, ...changes }), now, plainStyle).filter((line) => line.includes('nodeferry '));
    const resume = 'then: nodeferry resume prod/web';
    const retry = 'for one node: nodeferry retry prod/web --node n1';

    expect(waysOf({ actions: [abort] })).toEqual([resume, retry]);
    expect(waysOf({ actions: [{ ...abort, action: 'reject' }], phase: 'rolling-back' })).toEqual([resume, retry]);
    expect(waysOf({ rollback })).toEqual([`${resume}   or: nodeferry abort prod/web`, retry]);
    expect(waysOf({ drain: 'keep' })).toEqual([`${resume}   or: nodeferry abort prod/web`, retry]);
    expect(waysOf({ phase: 'finalize' })).toEqual([resume, retry]);
    const missing = { code: 'ApprovalMissing', message: 'nobody', hint: 'nodeferry approve prod/web' } as const;
    const approval = { of: 'start', since: 0, until: now, onTimeout: 'stall' } as const;
    expect(waysOf({ stalled: missing, nodes: [], approval })).toEqual([
      expect.stringMatching(/nodeferry approve prod\/web$/),
    ]);
  });

  test('says what a run that is aborting or has failed is, and has no hole where no version is known yet', () => {
    const abort = { action: 'abort', by: 'ann', reason: '', at: now } as const;
    const headOf = (changes: Parameters<typeof aRun>[0]) => renderTree(aRun(changes), now, plainStyle)[0];

    expect(headOf({ phase: 'preflight', actions: [abort] })).toContain('   aborting (was in preflight)   ');
    expect(headOf({ phase: 'aborted', actions: [abort] })).toContain('   aborted   ');
    expect(headOf({ phase: 'failed', stalled: { code: 'Internal', message: 'x' } })).toContain('   failed   ');
    expect(headOf({ fromVersion: '' })).toMatch(/^prod\/web {3}→ 1\.36\.3 {3}/);
    expect(headOf({ fromVersion: '', toVersion: '' })).toMatch(/^prod\/web {3}→ web-1-36 {3}/);
  });

  test('says which pool a run that is rolled back goes to, who asked for it, and what came of it', () => {
    const rollback = { by: 'ann', reason: 'a bad version', at: now };
    const nodes = [{ name: 'o1', uid: 'uid-o1', instanceId: 'i-o1', zone: 'eu-west-1a' }];
    const treeOf = (changes: Parameters<typeof aRun>[0]) => renderTree(aRun({ rollback, ...changes }), now, plainStyle);

    expect(treeOf({})[0]).toContain('   rolling back (was in replace)   ');
    const going = treeOf({ phase: 'rolling-back' });
    expect(going[0]).toContain('   rolling back to web   ');
    expect(going[1]).toContain('rolling back to web by ann at 03:06:10: a bad version');
    const gone = treeOf({ phase: 'rolled-back', rollback: { ...rollback, nodes } });
    expect(gone[0]).toContain('   rolled back   ');
    expect(gone[1]).toContain('rolled back to web by ann at 03:06:10: a bad version; web got 1 node again');
  });

  test('says who paused without a colon for no reason', () => {
    const tree = renderTree(aRun({ paused: { by: 'ann', reason: '', at: now } }), now, plainStyle);
    expect(tree).toContain('paused by ann at 03:06:10');
  });

  test('says clearly which rules are disabled', () => {
    const run = aRun({ disabledRules: ['capacity-guard'] });

    expect(renderTree(run, now, plainStyle)[1]).toBe('UNPROTECTED: disabled: capacity-guard');
  });
});

describe('losses', () => {
  const spell = { from: startedAt, to: startedAt, lost: 2, canBeOurs: false, nodes: [] };
  const losses = [{ probe: 'web', lost: 2, whileNoneOut: 2, spells: [spell] }];
  const lossy = aRun({ traffic: { sent: 9, lost: 2, slow: 0, losses } });
  const line = 'web lost 2, all while no node of the run was out: 2 at 03:04:05 UTC while none was out';

  test('are listed by probe in tree and report, beside the total', () => {
    const report = { ...lossy, durationMs: 1, newNodes: [], leftovers: [], unprotected: [] };
    const told = ['probes: 9 sent, 2 lost (all while no node of the run was out), 0 slow', `  ${line}`];
    expect(renderTree(lossy, now, plainStyle)).toEqual(expect.arrayContaining(told));
    expect(renderReport({ ...report, outcome: 'completed' }, plainStyle)).toEqual(expect.arrayContaining(told));
  });

  test('are a change when they begin, not one by one', () => {
    expect(describeChanges(aRun(), lossy)).toEqual([`prod/web probes: ${line}`]);
    const more = { ...spell, to: startedAt + 1, lost: 3 };
    const traffic = {
      sent: 12,
      lost: 3,
      slow: 0,
      losses: [{ probe: 'web', lost: 3, whileNoneOut: 3, spells: [more] }],
    };
    expect(describeChanges(lossy, { ...lossy, traffic })).toEqual([]);
  });
});

describe('describeChanges', () => {
  test('says nothing when nothing has changed', () => {
    const run = aRun({ nodes: [aNode('n1')] });

    expect(describeChanges(run, run)).toEqual([]);
  });

  test('prints each new step and each new piece of evidence once', () => {
    const before = aRun({ nodes: [aNode('n1')] });
    const after = aRun({
      nodes: [aNode('n1', { step: 'replacing', evidence: [{ kind: 'excluded', at: startedAt, detail: 'label set' }] })],
    });

    expect(describeChanges(before, after)).toEqual(['node n1 replacing', 'node n1 excluded at 03:04:05: label set']);
    expect(describeChanges(after, after)).toEqual([]);
  });

  test('prints cause and fix of a stalled node once', () => {
    const problem = { code: 'DeadlineExceeded', message: 'pods are left', hint: 'raise the budget' } as const;
    const before = aRun({ nodes: [aNode('n1', { step: 'evicting' })] });
    const after = aRun({ nodes: [aNode('n1', { step: 'stalled', problem })] });

    expect(describeChanges(before, after)).toEqual([
      'node n1 stalled',
      'node n1 pods are left',
      'node n1 fix: raise the budget',
    ]);
    expect(describeChanges(after, after)).toEqual([]);
  });

  test('prints phases, pauses and stalls', () => {
    const after = aRun({
      phase: 'finalize',
      paused: { by: 'ann', reason: 'lunch', at: now },
      stalled: { code: 'DeadlineExceeded', message: 'n1 is stuck' },
    });

    expect(describeChanges(aRun(), after)).toEqual([
      'prod/web phase finalize',
      'prod/web paused by ann at 03:06:10: lunch',
      'prod/web stalled: DeadlineExceeded: n1 is stuck',
    ]);
  });
});

describe('renderReport', () => {
  test('shows when each step of each node was observed, in seconds after the start', () => {
    const report = {
      ...aRun({
        phase: 'completed',
        finishedAt: now,
        traffic: { sent: 9, lost: 1, slow: 0 },
        nodes: [
          aNode('n1', {
            step: 'replaced',
            evidence: [
              { kind: 'excluded', at: startedAt + 1500, detail: '', because: 'it serves nothing' },
              { kind: 'terminated', at: startedAt + 61_000, detail: '' },
            ],
          }),
        ],
      }),
      outcome: 'completed' as const,
      durationMs: 125_000,
      newNodes: [],
      leftovers: ['lease x'],
      unprotected: ['default/api: no maximum connection age'],
    };

    const text = renderReport(report, plainStyle).join('\n');

    expect(text).toContain('completed in 2m 5s');
    expect(text).toContain('9 sent, 1 lost, 0 slow');
    expect(text).toMatch(/n1 +- +- +\+1\.5s +- +- +- +- +- +\+61\.0s/);
    expect(text).toContain('excluded because it serves nothing: n1');
    expect(text).toContain('unprotected: default/api: no maximum connection age');
    expect(text).toContain('leftovers: lease x');
  });
});

test('renderTable aligns by what a terminal shows', () => {
  expect(
    renderTable([
      ['A', 'B'],
      ['✔✔✔', 'x'],
      ['日本', 'y'],
    ]),
  ).toEqual(['A      B', '✔✔✔    x', '日本   y']);
});

test.each([
  { ms: 850, text: '850ms' },
  { ms: 12_400, text: '12s' },
  { ms: 245_000, text: '4m 5s' },
  { ms: 120_000, text: '2m' },
  { ms: 4_320_000, text: '1h 12m' },
])('formatDuration writes $ms ms as $text', ({ ms, text }) => {
  expect(formatDuration(ms)).toBe(text);
});

describe('an external change', () => {
  const seen = (what: string) => ({ at: startedAt + 60_000, what });
  const before = aRun({ nodes: [aNode('n1', { step: 'evicting' })] });
  const after = aRun({
    nodes: [
      aNode('n1', {
        step: 'restoring',
        restoredBecause: 'default/web has 1 serving target without it',
        externalChanges: [seen('somebody removed the exclude label of n1')],
      }),
    ],
    externalChanges: [seen('n2 was uncordoned; cordoned again')],
  });
  const acts = ['n2 was uncordoned; cordoned again', 'somebody removed the exclude label of n1'];

  test('is in the tree, with why a node is restored', () => {
    const tree = renderTree(after, now, plainStyle).join('\n');
    expect(tree).toContain('restored because default/web has 1 serving target without it');
    for (const act of acts) expect(tree).toContain(`external change at 03:05:05: ${act}`);
  });

  test('is printed once, when it is observed', () => {
    expect(describeChanges(before, after)).toEqual([
      `prod/web external change at 03:05:05: ${acts[0]}`,
      'node n1 restoring',
      'node n1 restored because default/web has 1 serving target without it',
      `node n1 external change at 03:05:05: ${acts[1]}`,
    ]);
    expect(describeChanges(after, after)).toEqual([]);
  });

  test('is in the report', () => {
    const report = { outcome: 'completed', durationMs: 1000, newNodes: [], leftovers: [], unprotected: [] } as const;
    const lines = renderReport({ ...after, ...report }, plainStyle).join('\n');
    for (const act of acts) expect(lines).toContain(`external change at 2026-01-02T03:05:05.000Z: ${act}`);
  });
});

describe('renderTimeline', () => {
  test('has a column for the end of forwarded connections only where it was observed', () => {
    const ended = [{ kind: 'forwarded-ended' as const, at: startedAt + 4_000, detail: '' }];
    const headOf = (nodes: Parameters<typeof renderTimeline>[0]['nodes']) =>
      renderTimeline({ nodes, startedAt })[0]?.split(/ +/);

    expect(headOf([aNode('n1')])).not.toContain('FORWARDED');
    const head = headOf([aNode('n1'), aNode('n2', { evidence: ended })]);
    expect(head?.[(head?.indexOf('ENDPOINTS') ?? -1) + 1]).toBe('FORWARDED');
    expect(renderTimeline({ nodes: [aNode('n2', { evidence: ended })], startedAt })[1]).toContain('+4.0s');
  });
});
