import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Problem } from '../../../core/model/problem.ts';
import type { RunEvent } from '../../../core/run/events.ts';
import { statusOfNamed } from '../../../core/run/nodes.ts';
import { isFinished } from '../../../core/run/phases.ts';
import { reduce } from '../../../core/run/reduce.ts';
import type { RollbackEntry, RunState } from '../../../core/run/state.ts';
import { poolPhases } from '../../../core/steps/pool-phases.ts';
import { answered, aPlan, aRun, begun, end, node, oldNodes, play, pool, start } from './play.ts';

/** Two nodes have the same name, one after the other. */
const nodes = [...oldNodes, node('n1', 'uid-n1-again')];
const entries: readonly RollbackEntry[] = [
  { kind: 'lock' },
  { kind: 'monitor' },
  { kind: 'scaling', pool },
  { kind: 'new-pool' },
  { kind: 'cordons', nodes: oldNodes },
  { kind: 'released' },
];

const aNode = fc.constantFrom(...nodes);
const aTime = fc.integer({ min: begun - 100_000, max: begun + 1_000_000 });
const aName = aNode.map(({ name }) => name);
const aProblem: fc.Arbitrary<Problem> = fc.record({
  code: fc.constantFrom('NodeUnreachable', 'DeadlineExceeded', 'Conflict'),
  message: fc.constantFrom('a', 'b', 'c'),
});
const anAct = { by: fc.constantFrom('ada', 'nodeferry'), reason: fc.constant('why'), at: aTime };
const anEnd = fc.oneof(
  aNode.map((ref) => answered(ref, 'replaced')),
  aNode.map((ref) => answered(ref, 'restored')),
  aNode.map((ref) => answered(ref, 'restored', { restoredBecause: 'too few others' })),
  fc.constant({ kind: 'cancelled' } as const),
  fc.constant({ kind: 'runs-already', workflowId: 'w' } as const),
  aProblem.map((problem) => ({ kind: 'failed', problem }) as const),
);
const counts = fc.record({ sent: fc.nat(1_000), lost: fc.nat(10), slow: fc.constant(0) });
const resumes = fc.nat(5);

/** Everything that can happen to a run except its end, in any order. */
const anEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc
    .constantFrom(...poolPhases.filter(({ isFinal }) => isFinal !== true))
    .map(({ id: phase }) => ({ type: 'setPhase', phase }) as const),
  fc.record({ type: fc.constant('recordTime' as const), at: aTime, clock: aTime }),
  fc.record({ type: fc.constant('advanceSequence' as const), clock: aTime }),
  fc.record({ type: fc.constantFrom('pause', 'resume', 'abort', 'rollback'), ...anAct }),
  fc.record({ type: fc.constant('retry' as const), node: aName, ...anAct }),
  fc.constantFrom(...entries).map((entry) => ({ type: 'pushRollback', entry }) as const),
  fc.constantFrom(...entries).map(({ kind }) => ({ type: 'dropRollback', kind }) as const),
  fc.constantFrom<RunEvent>({ type: 'popRollback' }, { type: 'beginRollback' }, { type: 'setIdle' }),
  fc.constantFrom<RunEvent>({ type: 'stopMonitor' }, { type: 'startMonitor', isMeasuring: true }),
  fc.constantFrom<RunEvent>({ type: 'acceptLosses' }, { type: 'exceedBudget', reason: 'lost', at: begun }),
  fc.record({ type: fc.constant('recordTraffic' as const), counts, seenAt: aTime, clock: aTime }),
  fc.array(aNode).map((some) => ({ type: 'trackNodes', nodes: some }) as const),
  fc.array(aNode).map((some) => ({ type: 'restoreOldPool', nodes: some }) as const),
  fc.nat(5).map((instances) => ({ type: 'requestOldNodes', instances }) as const),
  aNode.map(start),
  fc
    .tuple(aNode, anEnd, fc.boolean(), resumes)
    .map(([ref, how, isCancelled, known]) => end(ref, how, { isCancelled, resumes: known })),
  aName.map((name) => ({ type: 'restoreNode', name }) as const),
  aName.map((name) => ({ type: 'clearStalled', name }) as const),
  aProblem.map((problem) => ({ type: 'stall', problem }) as const),
  fc.record({
    type: fc.constant('markStalled' as const),
    name: aName,
    step: fc.constantFrom('evicting', 'restoring', 'terminating'),
    problem: aProblem,
    resumes,
    isCancelled: fc.boolean(),
  }),
  fc.nat(20).map((size) => ({ type: 'requestSize', size }) as const),
);

/** The first event is in every sequence: without a plan there is nothing to replace. */
const planned: RunEvent = { type: 'recordPlan', plan: aPlan(), since: begun, at: begun, clock: begun };
const aHistory = fc.array(anEvent, { maxLength: 60 }).map((events) => [planned, ...events].filter(isPossible()));

/** No node is started while one of its name is in progress: see `pendingOf`. */
function isPossible(): (event: RunEvent) => boolean {
  let before = aRun();
  return (event) => {
    if (event.type === 'startNode' && before.inProgress[event.node.name] !== undefined) return false;
    before = reduce(before, event);
    return true;
  };
}

function eachStep(check: (before: RunState, event: RunEvent, after: RunState) => void): void {
  fc.assert(
    fc.property(aHistory, (history) => {
      let state = aRun();
      for (const event of history) {
        const after = play(state, event);
        check(state, event, after);
        state = after;
      }
    }),
    { numRuns: 300 },
  );
}

test('each node is listed once and found at its index', () => {
  eachStep((before, _event, { status, positions, latest }) => {
    const uids = status.nodes.map(({ node: { uid } }) => uid);
    expect(Object.keys(positions).length).toBe(uids.length);
    for (const [position, { node: ref }] of status.nodes.entries()) expect(positions[ref.uid]).toBe(position);
    for (const [name, position] of Object.entries(latest)) {
      expect(position).toBe(status.nodes.findLastIndex(({ node: ref }) => ref.name === name));
    }
    expect(uids.slice(0, before.status.nodes.length)).toEqual(before.status.nodes.map(({ node: { uid } }) => uid));
  });
});

test('a stalled node is in progress or pending, and the run needs an operator exactly while something is stalled', () => {
  eachStep((_before, _event, after) => {
    const { stalledNodes, inProgress, problems, status } = after;
    for (const name of Object.keys(stalledNodes))
      expect(inProgress[name] !== undefined || statusOfNamed(after, name)?.step === 'pending').toBe(true);
    const all = [...problems, ...Object.values(stalledNodes)];
    expect(status.stalled === undefined).toBe(all.length === 0);
    if (status.stalled !== undefined) expect(all).toContainEqual(status.stalled);
    const mustStop = all.some(({ code }) => code !== 'NodeUnreachable');
    expect(status.stalled !== undefined && status.stalled.code !== 'NodeUnreachable').toBe(mustStop);
  });
});

test('the list of changes to roll back is what was pushed, less what was dropped or popped', () => {
  eachStep((before, event, { rollback }) => {
    if (event.type === 'pushRollback') expect(rollback).toEqual([...before.rollback, event.entry]);
    else if (event.type === 'dropRollback') {
      expect(rollback).toEqual(before.rollback.filter(({ kind }) => kind !== event.kind));
    } else if (event.type === 'popRollback') expect(rollback).toEqual(before.rollback.slice(0, -1));
    else expect(rollback).toEqual(before.rollback);
  });
});

test('counts add up: rounds, resumes, instances', () => {
  let starts = 0;
  let asked = 0;
  eachStep((before, event, after) => {
    if (event.type === 'recordPlan') [starts, asked] = [0, 0];
    if (event.type === 'startNode') starts += 1;
    if (event.type === 'requestSize') asked = event.size;
    const isResume = ['resume', 'abort', 'rollback', 'beginRollback'].includes(event.type);
    expect(Object.values(after.rounds).reduce((sum, rounds) => sum + rounds, 0)).toBe(starts);
    expect(after.requested.reduce((sum, { instances }) => sum + instances, 0)).toBe(asked);
    expect(after.resumes).toBe(before.resumes + (isResume ? 1 : 0));
  });
});

test('time, step numbers and traffic never decrease, and a run that rolls back continues to', () => {
  eachStep((before, event, after) => {
    if (event.type === 'recordPlan') return;
    expect(after.now).toBeGreaterThanOrEqual(before.now);
    expect(after.sequence).toBeGreaterThanOrEqual(before.sequence + (event.type === 'advanceSequence' ? 1 : 0));
    expect(after.status.traffic.sent).toBeGreaterThanOrEqual(before.status.traffic.sent);
    expect(after.isRollingBack || !before.isRollingBack).toBe(true);
  });
});

test('nothing changes a run that is over', () => {
  const outcome = fc.constantFrom('completed', 'aborted', 'rolled-back', 'failed');
  fc.assert(
    fc.property(
      aHistory,
      outcome,
      aTime,
      fc.option(aProblem, { nil: undefined }),
      aHistory,
      (history, how, at, problem, late) => {
        const finished = play(aRun(), ...history, { type: 'finishRun', outcome: how, at, problem });
        expect(finished.status).toMatchObject({ phase: how, finishedAt: at, stalled: problem });
        expect(isFinished(finished)).toBe(true);
        for (const event of late) expect(reduce(finished, event)).toBe(finished);
      },
    ),
    { numRuns: 300 },
  );
});
