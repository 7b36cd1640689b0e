import { describe, expect, test } from 'vitest';
import type { Problem, ProblemCode } from '../../../core/model/problem.ts';
import type { EventOf } from '../../../core/run/events.ts';
import { stepOf } from '../../../core/run/nodes.ts';
import { isUnreachable, mayProceed } from '../../../core/run/stalled.ts';
import { answered, aRun, begun, end, node, oldNodes, play, start, upToReplace } from './play.ts';

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

  test('the first of several nodes is shown, then the next', () => {
    const both = play(out, mark('n1', problem('a budget')), mark('n2', problem('a volume')));
    expect(both.status.stalled).toEqual(problem('a budget'));
    expect(play(both, end(n1, answered(n1, 'replaced'))).status.stalled).toEqual(problem('a volume'));
  });

  test('one that stops all nodes is shown before one that stops a single node', () => {
    const one = play(out, mark('n1', silent));
    expect(mayProceed(one)).toBe(true);
    expect(isUnreachable(one, n1)).toBe(true);
    expect(isUnreachable(one, n2)).toBe(false);
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

test('a withdrawn update is recorded', () => {
  expect(play(out, { type: 'withdraw', updateId: 'u1' }).withdrawn).toEqual(['u1']);
});
