import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../core/run/events.ts';
import { leftOf, pendingOf, skippedOf } from '../../../core/run/nodes.ts';
import { cordonedOf, explainKept, whyNotSkip } from '../../../core/run/skip.ts';
import { mayProceed } from '../../../core/run/stalled.ts';
import type { RunState } from '../../../core/run/state.ts';
import { answered, aRun, begun, end, node, oldNodes, play, replace, start, stepsOf, upToReplace } from './play.ts';

const [n1, n2, n3] = oldNodes as [ReturnType<typeof node>, ReturnType<typeof node>, ReturnType<typeof node>];
const ann = { by: 'ann', reason: 'a batch job', at: begun };
const skip = (name: string, more: Partial<typeof ann> = {}): RunEvent => ({
  type: 'skip',
  node: name,
  ...ann,
  ...more,
});
const ready = play(aRun(), ...upToReplace);
const restored = answered(n1, 'restored', { restoredBecause: 'it is skipped by ann: a batch job' });
const stalled: RunEvent = {
  type: 'markStalled',
  name: 'n1',
  step: 'evicting',
  problem: { code: 'DeadlineExceeded', message: 'a budget' },
  resumes: 0,
  isCancelled: false,
};

const markOf = ({ status }: RunState) => status.nodes.map(({ step, skipped }) => [step, skipped?.by]);

describe('a node that is skipped', () => {
  test('while it is pending is neither left nor pending, and has to be uncordoned', () => {
    const skipped = play(ready, skip('n1'));
    expect(markOf(skipped)[0]).toEqual(['skipped', 'ann']);
    expect([leftOf(skipped, oldNodes), pendingOf(skipped, oldNodes)]).toEqual([
      [n2, n3],
      [n2, n3],
    ]);
    expect(skipped.status.actions.at(-1)).toEqual({ action: 'skip', of: 'n1', ...ann });
    expect(cordonedOf(skipped)).toEqual([n1]);
    expect(cordonedOf(play(skipped, { type: 'recordUncordoned', nodes: [n1] }))).toEqual([]);
  });

  test('while it is in progress is left until its workflow has restored it; it is not excluded again', () => {
    const asked = play(ready, start(n1), skip('n1'));
    expect(markOf(asked)[0]).toEqual(['replacing', 'ann']);
    expect([leftOf(asked, oldNodes).length, cordonedOf(asked).length]).toEqual([3, 0]);
    const ended = play(asked, end(n1, restored));
    expect(markOf(ended)[0]).toEqual(['skipped', 'ann']);
    expect([pendingOf(ended, oldNodes), cordonedOf(ended)]).toEqual([[n2, n3], [n1]]);
    expect(ended.status.externalChanges).toEqual([]);
    expect(ended.status.nodes[0]).not.toHaveProperty('restoredBecause');
  });

  test('while it is stalled stops others no longer', () => {
    expect(mayProceed(play(ready, start(n1), stalled))).toBe(false);
    expect(mayProceed(play(ready, start(n1), stalled, skip('n1')))).toBe(true);
  });

  test('and was excluded in the same moment is skipped once its workflow has restored it', () => {
    const crossed = play(ready, skip('n1'), start(n1));
    expect(cordonedOf(crossed)).toEqual([]);
    expect(markOf(play(crossed, end(n1, restored)))[0]).toEqual(['skipped', 'ann']);
  });

  test('but whose instance ends by itself has been replaced, and that is recorded', () => {
    const late = play(ready, start(n1), skip('n1'), end(n1, answered(n1, 'replaced')));
    expect(stepsOf(late)[0]).toBe('replaced');
    expect(skippedOf(late)).toEqual([]);
    expect(late.status.externalChanges.map(({ what }) => what)).toEqual([
      'n1 was to be skipped, but its instance had ended by itself',
    ]);
  });

  test('is restored like the others when the run rolls back', () => {
    const back = play(ready, start(n1), skip('n1'), { type: 'beginRollback' });
    expect(stepsOf(play(back, end(n1, restored, { isCancelled: true })))[0]).toBe('restored');
  });

  test('is skipped once', () => {
    const skipped = play(ready, skip('n1'));
    expect(play(skipped, skip('n1', { by: 'bob' }))).toBe(skipped);
    const replaced = play(ready, ...replace(n1));
    expect(play(replaced, skip('n1'))).toBe(replaced);
  });
});

test.each<[string, RunState, { node?: string; reason: string }, string | undefined]>([
  ['a pending node', ready, { node: 'n1', reason: 'x' }, undefined],
  ['a node in progress', play(ready, start(n1)), { node: 'n1', reason: 'x' }, undefined],
  ['a stalled node', play(ready, start(n1), stalled), { node: 'n1', reason: 'x' }, undefined],
  ['without a reason', ready, { node: 'n1', reason: ' ' }, 'it needs a reason'],
  ['a node that nobody knows', ready, { node: 'n9', reason: 'x' }, 'the run has no node n9'],
  ['no node', ready, { reason: 'x' }, 'the run has no node '],
  [
    'a node that has been replaced',
    play(ready, ...replace(n1)),
    { node: 'n1', reason: 'x' },
    'n1 has been replaced, and its instance is terminated',
  ],
  [
    'a node that was skipped',
    play(ready, skip('n1')),
    { node: 'n1', reason: 'x' },
    'n1 was skipped already by ann: a batch job',
  ],
  [
    'a node of a run that rolls back',
    play(ready, { type: 'beginRollback' }),
    { node: 'n1', reason: 'x' },
    'the run is being aborted, and keeps every node that has not been replaced',
  ],
  [
    'a node before the run has begun',
    aRun(),
    { node: 'n1', reason: 'x' },
    'the run has not begun, and may still plan anew',
  ],
  [
    'a node when the run is about to end',
    play(ready, { type: 'setPhase', phase: 'finalize' }),
    { node: 'n1', reason: 'x' },
    'every node has been replaced or skipped',
  ],
])('whether it can be skipped: %s', (_, state, question, why) => {
  expect(whyNotSkip(state, question)).toBe(why);
});

describe('why the old pool stays', () => {
  test('names the skipped nodes, who skipped them, and what to do next', () => {
    const done = play(ready, skip('n1'), ...replace(n2), ...replace(n3));
    expect(explainKept(done)).toEqual([
      'web keeps n1 (skipped by ann: a batch job). To replace n1: start another upgrade of web with another spec.target.poolName: no run uses web-1-34, which exists by then',
    ]);
  });

  test('names no other pool when no old node has been replaced, although new nodes were removed', () => {
    const f1 = node('f1');
    const none = play(ready, skip('n1'), skip('n2'), skip('n3'), { type: 'trackNodes', nodes: [f1] }, ...replace(f1));
    expect(explainKept(none)[0]).toMatch(/start another upgrade of web$/);
  });

  test('is not told when no node was skipped', () => {
    expect(explainKept(play(ready, ...replace(n1)))).toEqual([]);
  });
});
