import { describe, expect, test } from 'vitest';
import type { NodeEnd } from '../../../core/run/events.ts';
import { pendingOf } from '../../../core/run/nodes.ts';
import type { RunState } from '../../../core/run/state.ts';
import { answered, aRun, begun, end, node, oldNodes, play, start, upToReplace } from './play.ts';

const [n1] = oldNodes as [ReturnType<typeof node>];
const out = play(aRun(), ...upToReplace, start(n1));
const because = 'Service default/web has too few others';
const restored = answered(n1, 'restored', { restoredBecause: because });
const runsAlready: NodeEnd = { kind: 'runs-already', workflowId: 'node-replacement/n1' };
const failed: NodeEnd = { kind: 'failed', problem: { code: 'Internal', message: 'a bug' } };
const resume = { type: 'resume', by: 'bob', reason: '', at: begun } as const;

/** Its step, and the problem that needs an operator because of it. */
const outcome = ({ status }: RunState) => [status.nodes[0]?.step, status.stalled?.message];

describe('a node whose workflow has ended', () => {
  test.each<[string, NodeEnd, boolean, readonly [string, string | undefined]]>([
    ['has been replaced', answered(n1, 'replaced'), false, ['replaced', undefined]],
    ['was restored because the run rolls back', answered(n1, 'restored'), true, ['restored', undefined]],
    ['was restored for a reason, and waits for its next round', restored, false, ['pending', undefined]],
    [
      'was restored without a reason: its workflow was cancelled on its own',
      answered(n1, 'restored'),
      false,
      ['pending', 'the replacement of n1 was cancelled by itself; the node was restored'],
    ],
    ['was cancelled before it began because the run rolls back', { kind: 'cancelled' }, true, ['pending', undefined]],
    [
      'was cancelled before it began by somebody',
      { kind: 'cancelled' },
      false,
      ['pending', 'the replacement of n1 was cancelled by itself; the node was restored'],
    ],
    [
      'could not start',
      runsAlready,
      false,
      ['pending', "the replacement of n1 can't start: workflow node-replacement/n1 runs already"],
    ],
    ['failed', failed, false, ['pending', 'a bug']],
  ])('%s', (_, how, isCancelled, expected) => {
    const ended = play(out, end(n1, how, { isCancelled }));
    expect(outcome(ended)).toEqual(expected);
    expect(ended.inProgress).toEqual({});
  });

  test('is started again without an operator when one has resumed the run since its start', () => {
    expect(outcome(play(out, resume, end(n1, runsAlready, { resumes: 0 })))).toEqual(['pending', undefined]);
  });

  test('and was restored is recorded as an external change, with the time of its workflow', () => {
    const ended = play(out, end(n1, restored));
    expect(ended.now).toBe(begun + 120_000);
    expect(ended.status.externalChanges).toEqual([{ at: begun + 120_000, what: `n1 was restored: ${because}` }]);
    expect(pendingOf(ended, oldNodes)).toEqual(oldNodes);
  });

  test('changes nothing a second time', () => {
    const ended = play(out, end(n1, restored));
    expect(play(ended, end(n1, failed))).toBe(ended);
  });
});

test('a node that is restored six times needs an operator; after a resume it has six more rounds', () => {
  let state = play(aRun(), ...upToReplace);
  const asked: number[] = [];
  for (let round = 1; round <= 12; round++) {
    state = play(state, start(n1), end(n1, restored, { resumes: state.resumes }));
    if (state.status.stalled === undefined) continue;
    asked.push(round);
    expect(state.status.stalled.message).toBe(
      `n1 was excluded ${round} times and restored each time, the last time because ${because}`,
    );
    state = play(state, resume);
  }
  expect(asked).toEqual([6, 12]);
});
