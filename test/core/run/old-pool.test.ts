import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../core/run/events.ts';
import { countReplaced, knownInstances, whyNoAbort, whyNoRollback } from '../../../core/run/old-pool.ts';
import { reportOf } from '../../../core/run/report.ts';
import { whyTooLarge } from '../../../core/run/rollback-size.ts';
import { answered, aPlan, aRun, begun, end, node, oldNodes, play, replace, start, upToReplace } from './play.ts';

const [n1, n2] = oldNodes as [ReturnType<typeof node>, ReturnType<typeof node>];
const asked = { by: 'ada', reason: 'a bad version', at: begun } as const;
const rollback: RunEvent = { type: 'rollback', ...asked };
const abort: RunEvent = { type: 'abort', ...asked };
const restored: RunEvent = { type: 'restoreOldPool', nodes: [node('o1')] };
const half = play(aRun(), ...upToReplace, ...replace(n1), ...replace(n2));

describe('a rollback', () => {
  test('says who asked for it, ends pauses and stalls, and goes on from what must be undone', () => {
    const stuck = play(
      half,
      { type: 'pause', ...asked },
      { type: 'stall', problem: { code: 'Throttled', message: 'no' } },
      { type: 'requestApproval', of: 'canary', since: begun, until: undefined, onTimeout: 'stall' },
    );
    const rolled = play(stuck, rollback);
    expect(rolled).toMatchObject({ isRollingBack: true, resumes: 1, rollback: half.rollback, oldPool: 'unchanged' });
    expect(rolled.status).toMatchObject({ rollback: asked, paused: undefined, stalled: undefined });
    expect(rolled.status.approval).toBeUndefined();
    expect(rolled.status.actions.map(({ action }) => action)).toEqual(['start', 'pause', 'rollback']);
  });

  test('counts the nodes that were replaced, and knows the instances that stayed', () => {
    expect(countReplaced(half, aPlan())).toBe(2);
    expect(knownInstances(half)).toEqual(oldNodes.slice(2).map(({ instanceId }) => instanceId));
  });

  test('counts no node whose instance was not terminated: one has its name, and is in the pool', () => {
    const succeeded = answered(n1, 'replaced', { evidence: [{ kind: 'node-deleted', at: begun, detail: 'another' }] });
    const one = play(aRun(), ...upToReplace, start(n1), end(n1, succeeded), ...replace(n2));
    expect(countReplaced(one, aPlan())).toBe(1);
  });

  test('requests its instances once, however often it is tried, and reports them with their costs', () => {
    const requested = play(half, rollback, { type: 'requestOldNodes', instances: 2 });
    const again = play(requested, { type: 'requestOldNodes', instances: 2 });
    expect(again).toEqual(requested);
    expect(again.requestedOld).toEqual([{ at: half.now, instances: 2 }]);
    const ended = play(again, restored, { type: 'finishRun', outcome: 'rolled-back', at: begun, problem: undefined });
    const report = reportOf(ended, 'rolled-back', []);
    expect(report).toMatchObject({ outcome: 'rolled-back', phase: 'rolled-back', rollback: { ...asked } });
    expect(report.rollback?.nodes).toEqual([node('o1')]);
  });

  test('that is aborted is an abort, and one that takes the place of an abort is a rollback', () => {
    const aborted = play(half, rollback, { type: 'requestOldNodes', instances: 2 }, abort);
    expect(aborted.status.rollback).toBeUndefined();
    expect(aborted.oldPool).toBe('requested');
    expect(aborted.resumes).toBe(2);
    expect(play(half, abort, rollback).status.rollback).toEqual(asked);
  });
});

const finalize: RunEvent = { type: 'setPhase', phase: 'finalize' };
const finished: RunEvent = { type: 'dropRollback', kind: 'new-pool' };

test.each<[string, readonly RunEvent[], string | undefined, string | undefined]>([
  ['a run in which nodes are replaced', [], undefined, undefined],
  ['a run whose old pool is being deleted', [finalize], 'being deleted', 'nothing to go back to'],
  ['an abort', [abort], undefined, 'being aborted already'],
  ['an abort that has finished with the new nodes', [abort, finished], 'has finished with', 'being aborted already'],
  ['a failed run that rolls back', [{ type: 'beginRollback' }], undefined, 'being aborted already'],
  ['a rollback', [rollback], 'being rolled back already', undefined],
  [
    'a rollback that has requested instances',
    [rollback, { type: 'requestOldNodes', instances: 1 }],
    'already',
    undefined,
  ],
  ['a rollback whose old pool serves', [rollback, restored], 'being rolled back already', 'has its size again'],
])('%s', (_, events, noRollback, noAbort) => {
  const state = play(half, ...events);
  const matches = (expected: string | undefined) =>
    expected === undefined ? undefined : expect.stringContaining(expected);
  expect(whyNoRollback(state)).toEqual(matches(noRollback));
  expect(whyNoAbort(state)).toEqual(matches(noAbort));
});

describe('the history of a run', () => {
  /** A run whose plan has so many nodes, and which has replaced a share of them. */
  function runOf(nodes: number, replaced: number) {
    const rounds = Object.fromEntries(Array.from({ length: replaced }, (_, index) => [`n${index}`, 1]));
    return { ...half, plan: { ...aPlan(), surge: nodes }, rounds };
  }
  // As measured: core/plan/limits.ts.
  const sizeOf = (replaced: number, bytesPerNode = 40_000) => ({
    events: 150 + 9.6 * replaced,
    bytes: 300_000 + bytesPerNode * replaced,
  });

  test.each([
    [450, 450],
    [450, 20],
    [600, 300],
    [600, 1],
  ])('of %i nodes, %i of them replaced, has room for a rollback', (nodes, replaced) => {
    expect(whyTooLarge(runOf(nodes, replaced), sizeOf(replaced))).toBeUndefined();
  });

  test('has none where that would take more events than a worker can replay in time, or more than Temporal keeps', () => {
    expect(whyTooLarge(runOf(640, 640), sizeOf(640))).toContain('640 new nodes would have to leave. Abort it instead');
    expect(whyTooLarge(runOf(450, 450), sizeOf(450, 55_000))).toContain('more history than Temporal keeps');
  });

  test('does not matter before an old node is gone: then a rollback is an abort', () => {
    expect(whyTooLarge(play(aRun(), ...upToReplace), { events: 1e6, bytes: 1e9 })).toBeUndefined();
  });
});
