import { describe, expect, test } from 'vitest';
import type { Problem, ProblemCode } from '../../../core/model/problem.ts';
import { lacksOnlyApproval } from '../../../core/run/approvals.ts';
import type { EventOf, NodeEnd, RunEvent } from '../../../core/run/events.ts';
import { pendingOf, stepOf } from '../../../core/run/nodes.ts';
import { isSetAside, mayProceed } from '../../../core/run/stalled.ts';
import { resumesOf } from '../../../core/run/state.ts';
import { answered, aPlan, aRun, begun, end, node, oldNodes, play, start, upToReplace } from './play.ts';

const [n1, n2] = oldNodes as [ReturnType<typeof node>, ReturnType<typeof node>];
const problem = (message: string, code: ProblemCode = 'DeadlineExceeded'): Problem => ({ code, message });
const silent = problem('n1 is not heard', 'NodeUnreachable');
const resume = { type: 'resume', by: 'bob', reason: 'fixed', at: begun } as const;
const mark = (name: string, what: Problem, changes: Partial<EventOf<'markStalled'>> = {}): EventOf<'markStalled'> => ({
  type: 'markStalled',
  name,
  step: 'evicting',
  problem: what,
  resumes: 0,
  isCancelled: false,
  ...changes,
});

const out = play(aRun(), ...upToReplace, start(n1), start(n2));

describe('a node that stalls', () => {
  const stalled = play(out, mark('n1', problem('a budget')));

  test('is shown, and keeps others from being excluded', () => {
    expect(stepOf(stalled, n1)).toBe('stalled');
    expect(stalled.status.nodes[0]?.problem).toEqual(problem('a budget'));
    expect(stalled.status.stalled).toEqual(problem('a budget'));
    expect(mayProceed(out)).toBe(true);
    expect(mayProceed(stalled)).toBe(false);
  });

  test('continues after a resume', () => {
    const resumed = play(stalled, resume);
    expect(resumed).toMatchObject({ resumes: 1, stalledNodes: {} });
    expect(stepOf(resumed, n1)).toBe('replacing');
    expect(resumed.status.nodes[0]?.problem).toBeUndefined();
    expect(resumed.status.stalled).toBeUndefined();
    expect(resumed.status.actions.at(-1)).toEqual({ action: 'resume', by: 'bob', reason: 'fixed', at: begun });
    expect(mayProceed(resumed)).toBe(true);
  });

  test('may stall again after that', () => {
    const again = play(stalled, resume, mark('n1', problem('the same budget'), { resumes: 1 }));
    expect(again.status.stalled).toEqual(problem('the same budget'));
  });

  test('is not stalled any more once it has ended', () => {
    const ended = play(stalled, end(n1, answered(n1, 'replaced')));
    expect(ended).toMatchObject({ stalledNodes: {}, status: { stalled: undefined } });
    expect(ended.status.nodes[0]).toMatchObject({ step: 'replaced' });
    expect(ended.status.nodes[0]).not.toHaveProperty('problem');
  });

  test('is shown with its latest problem when it has retried by itself', () => {
    const again = play(stalled, mark('n1', problem('another budget')));
    expect(again.status.stalled).toEqual(problem('another budget'));
    expect(play(again, { type: 'clearStalled', name: 'n1' }).status.stalled).toBeUndefined();
  });

  test('continues by itself when what it waited for has happened', () => {
    const cleared = play(stalled, { type: 'clearStalled', name: 'n1' });
    expect(stepOf(cleared, n1)).toBe('replacing');
    expect(cleared).toMatchObject({ resumes: 0, stalledNodes: {}, status: { stalled: undefined } });
  });
});

describe('the signal of a stalled node changes nothing', () => {
  test.each<[string, EventOf<'markStalled'>, boolean]>([
    ['when the run has been resumed since', mark('n1', silent, { resumes: 0 }), true],
    ['when the node is not in progress', mark('n3', silent, { resumes: 1 }), true],
    ['when the run does not know the node', mark('n9', silent, { resumes: 1 }), true],
    ['when the node is being restored anyway', mark('n1', silent, { resumes: 1, isCancelled: true }), true],
    [
      'unless it goes back and can not',
      mark('n1', silent, { resumes: 1, isCancelled: true, step: 'restoring' }),
      false,
    ],
    [
      'unless it is past the way back',
      mark('n1', silent, { resumes: 1, isCancelled: true, step: 'terminating' }),
      false,
    ],
  ])('%s', (_, event, isMoot) => {
    const resumed = play(out, resume);
    expect(play(resumed, event) === resumed).toBe(isMoot);
  });

  test('nor does the signal that a node continues which was not stalled', () => {
    expect(play(out, { type: 'clearStalled', name: 'n1' })).toBe(out);
  });
});

describe('of several problems', () => {
  test('the run shows its own before those of nodes', () => {
    const both = play(out, mark('n1', problem('a budget')), { type: 'stall', problem: problem('no lock') });
    expect(both.status.stalled).toEqual(problem('no lock'));
    expect(play(both, end(n1, answered(n1, 'replaced'))).status.stalled).toEqual(problem('no lock'));
  });

  test('of its own, the run shows the latest, and the other once that has ended', () => {
    const [lock, late] = [problem('no lock', 'LockLost'), problem('nobody', 'ApprovalMissing')];
    const wait = { type: 'requestApproval', of: 'wave 2', since: begun, until: undefined, onTimeout: 'stall' } as const;
    const both = play(out, wait, { type: 'stall', problem: lock }, { type: 'stall', problem: late });
    expect(both.status.stalled).toEqual(late);
    expect(lacksOnlyApproval(both)).toBe(false);
    expect(play(both, { type: 'endStall', problem: late }).status.stalled).toEqual(lock);
    const approved = play(both, { type: 'approve', by: 'ada', reason: 'seen', at: begun });
    expect(approved.status.stalled).toEqual(lock);
    expect(mayProceed(approved)).toBe(false);
    const resumed = play(both, resume);
    expect(resumed.status.stalled).toEqual(late);
    expect(lacksOnlyApproval(resumed)).toBe(true);
    expect(play(both, { type: 'abort', by: 'ada', reason: 'no', at: begun }).status.stalled).toBeUndefined();
  });

  test('the first of several nodes is shown, then the next', () => {
    const both = play(out, mark('n1', problem('a budget')), mark('n2', problem('a volume')));
    expect(both.status.stalled).toEqual(problem('a budget'));
    expect(play(both, end(n1, answered(n1, 'replaced'))).status.stalled).toEqual(problem('a volume'));
  });

  test('one that stops all nodes is shown before one that stops a single node', () => {
    const one = play(out, mark('n1', silent));
    expect(mayProceed(one)).toBe(true);
    expect(isSetAside(one, n1)).toBe(true);
    expect(isSetAside(one, n2)).toBe(false);
    const both = play(one, mark('n2', problem('a budget')));
    expect(both.status.stalled).toEqual(problem('a budget'));
    expect(play(both, { type: 'clearStalled', name: 'n2' }).status.stalled).toEqual(silent);
  });
});

describe('a pause', () => {
  const pause = { type: 'pause', by: 'ada', reason: 'lunch', at: begun } as const;
  const byItself = { ...pause, by: 'nodeferry', reason: '11 requests lost' };

  test('keeps nodes from being excluded until a resume', () => {
    const paused = play(out, pause);
    expect(paused.status.paused).toEqual({ by: 'ada', reason: 'lunch', at: begun });
    expect(mayProceed(paused)).toBe(false);
    expect(mayProceed(play(paused, resume))).toBe(true);
  });

  test('by the run itself keeps the reason of an operator, and is recorded too', () => {
    const twice = play(out, pause, byItself);
    expect(twice.status.paused).toMatchObject({ by: 'ada' });
    expect(twice.status.actions.map(({ action, by }) => [action, by])).toEqual([
      ['start', 'ada'],
      ['pause', 'ada'],
      ['pause', 'nodeferry'],
    ]);
  });
});

describe('a retry of one node', () => {
  const retry = { type: 'retry', node: 'n1', by: 'bob', reason: 'fixed', at: begun } as const;
  const both = play(out, mark('n1', problem('a budget')), mark('n2', problem('a volume')));

  test('retries that node alone, and is recorded', () => {
    const retried = play(both, retry);
    expect(retried).toMatchObject({ resumes: 0, retries: { n1: 1 }, stalledNodes: { n2: problem('a volume') } });
    expect([stepOf(retried, n1), stepOf(retried, n2)]).toEqual(['replacing', 'stalled']);
    expect(retried.status.actions.at(-1)).toMatchObject({ action: 'retry', of: 'n1', by: 'bob', reason: 'fixed' });
    expect(mayProceed(retried)).toBe(false);
    expect(mayProceed(play(retried, { ...retry, node: 'n2' }))).toBe(true);
  });

  test('counts as one of the retries that the node knows of, as a resume does', () => {
    const retried = play(both, retry, resume);
    expect([resumesOf(retried, 'n1'), resumesOf(retried, 'n2')]).toEqual([2, 1]);
    expect(play(retried, mark('n1', problem('late'), { resumes: 1 }))).toBe(retried);
    expect(play(retried, mark('n1', problem('again'), { resumes: 2 })).stalledNodes).toEqual({ n1: problem('again') });
  });

  test('lets a node whose workflow has failed begin another round, and leaves the run stalled for its own problem', () => {
    const failed: NodeEnd = { kind: 'failed', problem: problem('a bug') };
    const own = play(out, end(n1, failed), { type: 'stall', problem: problem('no lock') });
    expect(pendingOf(own, oldNodes).map(({ name }) => name)).toEqual(['n3']);
    const retried = play(own, retry);
    expect(pendingOf(retried, oldNodes).map(({ name }) => name)).toEqual(['n1', 'n3']);
    expect(retried.status.stalled).toEqual(problem('no lock'));
  });

  test('changes nothing when the node is not stalled', () => {
    expect(play(out, retry)).toBe(out);
  });
});

describe('spec.rollout.maxFailures', () => {
  const allowing = (maxFailures: number) => {
    const { policy, ...plan } = aPlan();
    const rollout = { zones: [], maxFailures };
    const planned = { type: 'recordPlan', plan: { ...plan, policy: { ...policy, rollout } } } as const;
    return play(aRun(), ...upToReplace, { ...planned, since: begun, at: begun, clock: begun }, start(n1), start(n2));
  };
  const one = mark('n1', problem('a budget'));
  const two = mark('n2', problem('a volume'));

  test('lets others continue while no more nodes are stalled', () => {
    const stalled = play(allowing(1), one);
    expect(stalled.status.stalled).toEqual(problem('a budget'));
    expect(stalled.status.paused).toBeUndefined();
    expect([mayProceed(stalled), isSetAside(stalled, n1)]).toEqual([true, true]);
  });

  test('pauses the run with a reason that names the nodes when one more is', () => {
    const paused = play(allowing(1), one, two);
    const reason = '2 nodes stalled (n1, n2), and spec.rollout.maxFailures is 1';
    expect(paused.status.paused).toMatchObject({ by: 'nodeferry', reason });
    expect(paused.status.actions.at(-1)).toMatchObject({ action: 'pause', by: 'nodeferry', reason });
    expect([mayProceed(paused), isSetAside(paused, n1)]).toEqual([false, false]);
  });

  test.each<[string, RunEvent]>([
    ['a retry', { type: 'retry', node: 'n1', by: 'bob', reason: '', at: begun }],
    ['a resume', resume],
    ['the end of a node', end(n2, answered(n2, 'replaced'))],
  ])('lets the run continue after %s', (_, event) => {
    const after = play(allowing(1), one, two, event);
    expect(after.status.paused).toBeUndefined();
    expect(mayProceed(after)).toBe(true);
  });

  test('keeps the pause of an operator, which a retry does not end', () => {
    const pause = { type: 'pause', by: 'ada', reason: 'lunch', at: begun } as const;
    const retry = { type: 'retry', node: 'n1', by: 'bob', reason: '', at: begun } as const;
    for (const history of [
      [pause, one, two],
      [one, two, pause],
    ]) {
      const paused = play(allowing(1), ...history);
      expect(play(paused, retry).status.paused).toEqual({ by: 'ada', reason: 'lunch', at: begun });
    }
  });

  test('does not count unreachable nodes, and lets none be stalled while the run rolls back', () => {
    expect(mayProceed(play(allowing(0), mark('n1', silent)))).toBe(true);
    const back = play(allowing(1), { type: 'beginRollback' }, mark('n1', problem('a budget'), { resumes: 1 }));
    expect(back.status.paused).toBeUndefined();
    expect(mayProceed(back)).toBe(false);
  });

  test('by default stops the others with the first stalled node, and does not pause the run', () => {
    const stalled = play(out, one);
    expect(stalled.status.paused).toBeUndefined();
    expect(mayProceed(stalled)).toBe(false);
    expect(play(allowing(0), one).status.paused).toMatchObject({ by: 'nodeferry' });
  });
});

test('a withdrawn update is recorded', () => {
  expect(play(out, { type: 'withdraw', updateId: 'u1' }).withdrawn).toEqual(['u1']);
});
