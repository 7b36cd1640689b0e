import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../core/run/events.ts';
import { leftOf, pendingOf, stepOf } from '../../../core/run/nodes.ts';
import { reportOf, rollbackProblem } from '../../../core/run/report.ts';
import { mustRollBack } from '../../../core/run/rollback.ts';
import { timeAt } from '../../../core/run/state.ts';
import type { PoolPhase } from '../../../core/steps/pool-phases.ts';
import {
  answered,
  aPlan,
  aRun,
  begun,
  end,
  node,
  oldNodes,
  play,
  pool,
  replace,
  start,
  stepsOf,
  upToReplace,
} from './play.ts';

const [n1, n2, n3] = oldNodes as [ReturnType<typeof node>, ReturnType<typeof node>, ReturnType<typeof node>];
const kinds = ({ rollback }: ReturnType<typeof aRun>) => rollback.map(({ kind }) => kind);

describe('a run without problems', () => {
  const replaced = play(aRun(), ...upToReplace, ...replace(n1), ...replace(n2), ...replace(n3));

  test('lists every change that it must roll back, oldest first', () => {
    const before = play(aRun(), ...upToReplace);
    expect(kinds(before)).toEqual(['lock', 'monitor', 'scaling', 'new-pool', 'cordons']);
    expect(before.rollback[2]).toEqual({ kind: 'scaling', pool, suspended: ['AZRebalance'] });
    expect(before.status).toMatchObject({ phase: 'replace', fromVersion: '1.33', toVersion: '1.34', startedAt: begun });
    expect(stepsOf(before)).toEqual(['pending', 'pending', 'pending']);
  });

  test('replaces each node once, and no node is in progress afterwards', () => {
    expect(stepsOf(replaced)).toEqual(['replaced', 'replaced', 'replaced']);
    expect(leftOf(replaced, oldNodes)).toEqual([]);
    expect(replaced.inProgress).toEqual({});
    expect(replaced.rounds).toEqual({ n1: 1, n2: 1, n3: 1 });
  });

  test('ends with a report and keeps the new pool', () => {
    const kept: readonly RunEvent[] = (['cordons', 'new-pool', 'released', 'scaling'] as const).map((kind) => ({
      type: 'dropRollback',
      kind,
    }));
    const finishing = play(replaced, { type: 'setPhase', phase: 'finalize' }, ...kept);
    expect(kinds(finishing)).toEqual(['lock', 'monitor']);
    const finished = play(
      finishing,
      { type: 'recordUnprotected', what: ['default/web: a PDB of nothing'] },
      { type: 'recordRetained', what: ['web keeps AZRebalance suspended'] },
      { type: 'setIdle' },
      { type: 'popRollback' },
      { type: 'popRollback' },
      { type: 'finishRun', outcome: 'completed', at: begun + 200_000, problem: undefined },
    );
    expect(kinds(finished)).toEqual([]);
    expect(finished.status).toMatchObject({
      phase: 'completed',
      finishedAt: begun + 200_000,
      stalled: undefined,
    });
    expect(reportOf(finished, 'completed', [])).toMatchObject({
      outcome: 'completed',
      durationMs: 120_000,
      leftovers: ['web keeps AZRebalance suspended'],
      unprotected: ['default/web: a PDB of nothing'],
      newNodes: [{ name: 'f1' }, { name: 'f2' }, { name: 'f3' }],
    });
  });

  test('reports what is not protected on each of its nodes', () => {
    const told = play(
      aRun(),
      ...upToReplace,
      start(n1),
      end(n1, answered(n1, 'replaced', { unprotected: ['hand-made'] })),
    );
    expect(reportOf(told, 'completed', []).unprotected).toEqual(['n1: hand-made']);
  });
});

describe('an abort', () => {
  const phases: readonly PoolPhase[] = upToReplace.flatMap((event) => (event.type === 'setPhase' ? [event.phase] : []));

  test.each(['preflight', ...phases] as const)('in %s rolls back what was done until then, newest first', (phase) => {
    const index = upToReplace.findLastIndex((event) => event.type === 'setPhase' && event.phase === phase);
    const until = upToReplace.slice(0, index + 1);
    const done = play(aRun(), ...until);
    const aborted = play(done, { type: 'abort', by: 'ada', reason: 'not now', at: begun });
    expect(aborted).toMatchObject({ isRollingBack: true, resumes: 1, rollback: done.rollback });
    expect(aborted.status.actions.map(({ action }) => action)).toEqual(['start', 'abort']);

    const backwards = play(aborted, { type: 'setPhase', phase: 'rolling-back' });
    const undone: string[] = [];
    let now = backwards;
    for (let entry = now.rollback.at(-1); entry !== undefined; entry = now.rollback.at(-1)) {
      undone.push(entry.kind);
      now = play(now, { type: 'popRollback' });
    }
    expect(undone).toEqual(kinds(done).toReversed());
    const ended = play(now, { type: 'finishRun', outcome: 'aborted', at: begun + 5_000, problem: undefined });
    expect(ended.status.phase).toBe('aborted');
  });

  test('ends a pause and every stall', () => {
    const stuck = play(
      aRun(),
      ...upToReplace,
      { type: 'pause', by: 'ada', reason: 'lunch', at: begun },
      { type: 'stall', problem: { code: 'Throttled', message: 'no' } },
      { type: 'abort', by: 'ada', reason: 'enough', at: begun },
    );
    expect(stuck.status).toMatchObject({ paused: undefined, stalled: undefined });
  });

  test('keeps the step of nodes that are restored', () => {
    const out = play(aRun(), ...upToReplace, start(n1), { type: 'abort', by: 'ada', reason: '', at: begun });
    const restored = play(out, { type: 'restoreNode', name: 'n1' });
    expect(stepOf(restored, n1)).toBe('restored');
    const ended = play(restored, end(n1, answered(n1, 'restored'), { isCancelled: true }));
    expect(stepOf(ended, n1)).toBe('restored');
    expect(ended.status.stalled).toBeUndefined();
  });

  test('that could not roll everything back fails, and says how to continue', () => {
    const problem = rollbackProblem(aRun().status, ['label on n1']);
    const ended = play(aRun(), ...upToReplace, { type: 'finishRun', outcome: 'failed', at: begun, problem });
    expect(ended.status).toMatchObject({ phase: 'failed', stalled: { code: 'RollbackIncomplete' } });
    expect(reportOf(ended, 'failed', ['label on n1']).leftovers).toEqual(['label on n1']);
    expect(rollbackProblem(aRun().status, [])).toBeUndefined();
  });
});

test('a failure makes the run roll back without an operator', () => {
  const aborted = play(aRun(), ...upToReplace, { type: 'beginRollback' });
  expect(aborted).toMatchObject({ isRollingBack: true, resumes: 1 });
  expect(aborted.status.actions).toHaveLength(1);
});

test('several cordons are dropped together, but rolled back one by one', () => {
  const late = [node('n4')];
  const twice = play(aRun(), ...upToReplace, { type: 'pushRollback', entry: { kind: 'cordons', nodes: late } });
  expect(kinds(play(twice, { type: 'popRollback' }))).toEqual(kinds(play(aRun(), ...upToReplace)));
  expect(mustRollBack(play(twice, { type: 'dropRollback', kind: 'cordons' }), 'cordons')).toBe(false);
});

describe('a second node of the same name', () => {
  const again = node('n1', 'uid-n1-again');
  const both = play(aRun(), ...upToReplace, ...replace(n1), { type: 'trackNodes', nodes: [again] });

  test('is pending, while the first stays replaced', () => {
    expect(stepsOf(both)).toEqual(['replaced', 'pending', 'pending', 'pending']);
    expect(stepOf(both, again)).toBe('pending');
  });

  test('is the one that the name means from then on', () => {
    const before = both.status.nodes[0];
    const started = play(both, start(again));
    expect(stepsOf(started)).toEqual(['replaced', 'pending', 'pending', 'replacing']);
    expect(started.rounds).toEqual({ n1: 2 });
    const replaced = play(started, end(again, answered(again, 'replaced')));
    expect(replaced.status.nodes[0]).toBe(before);
    expect(replaced.status.nodes[3]).toMatchObject({ node: again, step: 'replaced' });
  });
});

test('a name means the node in progress, even if another node of that name has joined since, which waits for its end', () => {
  const again = node('n1', 'uid-n1-again');
  const joined = play(aRun(), ...upToReplace, start(n1), { type: 'trackNodes', nodes: [again] });
  expect(pendingOf(joined, [again])).toEqual([]);
  expect(pendingOf(play(joined, end(n1, answered(n1, 'replaced'))), [again])).toEqual([again]);
  expect(stepsOf(play(joined, end(n1, answered(n1, 'replaced'))))).toEqual([
    'replaced',
    'pending',
    'pending',
    'pending',
  ]);
});

test('a node that fails after the next of its name was replaced is the one that is stalled and retried', () => {
  const again = node('n1', 'uid-n1-again');
  const both = play(aRun(), ...upToReplace, ...replace(again), start(n1));
  const problem = { code: 'Conflict', message: 'it is gone' } as const;
  const failed = play(both, end(n1, { kind: 'failed', problem }));
  expect(stepsOf(failed)).toEqual(['pending', 'pending', 'pending', 'replaced']);
  expect(failed.status.nodes[0]?.problem).toBe(problem);
  const retried = play(failed, { type: 'resume', by: 'ada', reason: 'why', at: begun });
  expect(stepsOf(retried)).toEqual(['pending', 'pending', 'pending', 'replaced']);
  expect(retried.status.nodes[0]?.problem).toBeUndefined();
});

test('nodes that are known already are not added again', () => {
  const state = play(aRun(), ...upToReplace);
  expect(play(state, { type: 'trackNodes', nodes: aPlan().nodes })).toBe(state);
});

test('a node that starts keeps the evidence of its pod surge', () => {
  const surged = { kind: 'pods-surged', at: begun, detail: '2 pods released, replacements serve' } as const;
  const started = play(aRun(), ...upToReplace, { type: 'setEvidence', name: 'n2', evidence: [surged] }, start(n2));
  expect(started.status.nodes[1]?.evidence.map(({ kind }) => kind)).toEqual(['pods-surged', 'excluded']);
});

test('time continues by the clock of the workflow while no step returns, and never goes back', () => {
  const late = play(aRun(), { type: 'recordTime', at: begun + 9_000, clock: begun + 10_000 });
  expect(timeAt(late, begun + 12_000)).toBe(begun + 11_000);
  expect(play(late, { type: 'recordTime', at: begun, clock: begun + 11_000 }).now).toBe(begun + 9_000);
});

test('numbers of the pool’s steps rise with each step, and with the clock', () => {
  const first = play(aRun(), { type: 'advanceSequence', clock: begun });
  expect(first.sequence).toBe(begun);
  expect(play(first, { type: 'advanceSequence', clock: begun }).sequence).toBe(begun + 1);
  expect(play(first, { type: 'advanceSequence', clock: begun + 500 }).sequence).toBe(begun + 500);
});

test('what the pool waits for has the time of the last result as its beginning', () => {
  const waiting = play(aRun(), ...upToReplace, { type: 'setWaiting', waiting: { for: 'the pool', until: undefined } });
  expect(waiting.status.waiting).toEqual({ for: 'the pool', since: begun + 1_000, until: undefined });
  expect(play(waiting, { type: 'setPhase', phase: 'finalize' }).status.waiting).toBeUndefined();
});

test('the new pool is asked only for instances that it does not have yet', () => {
  const grown = play(aRun(), { type: 'requestSize', size: 2 }, { type: 'requestSize', size: 5 });
  expect(grown.requested.map(({ instances }) => instances)).toEqual([2, 3]);
});

test('a repeated external change is reported once, with its latest time', () => {
  const act = (at: number) =>
    ({ type: 'recordExternalChanges', changes: [{ at, what: 'somebody scaled web' }] }) as const;
  expect(play(aRun(), act(1), act(2)).status.externalChanges).toEqual([{ at: 2, what: 'somebody scaled web' }]);
  const state = aRun();
  expect(play(state, { type: 'recordExternalChanges', changes: [] })).toBe(state);
});
