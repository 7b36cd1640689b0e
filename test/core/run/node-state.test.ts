import { describe, expect, test } from 'vitest';
import {
  isRecallable,
  isReversible,
  type NodeState,
  type NodeStateEvent,
  openNodeState,
  reduceNode,
} from '../../../core/run/node-state.ts';
import type { Evidence } from '../../../core/status/status.ts';
import { begun, freeze, node } from './play.ts';

const n1 = node('n1');
const excluded: Evidence = { kind: 'excluded', at: begun, detail: 'label' };
const opened = freeze(
  openNodeState({ node: n1, evidence: [excluded], workflowId: 'w' }, { excludedAt: begun, resumes: 2 }),
);
const play = (state: NodeState, ...events: readonly NodeStateEvent[]) =>
  events.reduce((before, event) => freeze(reduceNode(before, freeze(event))), state);
const begin = (step: 'draining-connections' | 'evicting' | 'restoring' | 'terminating'): NodeStateEvent => ({
  type: 'beginStep',
  step,
  limitMs: 60_000,
});
const budget = { code: 'DeadlineExceeded', message: 'a budget' } as const;

describe('a step of a node', () => {
  const begunStep = play(opened, begin('evicting'));

  test('says what it waits for, and has its own number', () => {
    expect(begunStep.status).toMatchObject({
      step: 'evicting',
      waiting: { for: 'evicting', since: begun, until: begun + 60_000 },
    });
    expect(play(begunStep, begin('evicting')).stepsTaken).toBe(2);
  });

  test('adds its observations and its time once it is done', () => {
    const evicted: Evidence = { kind: 'evicted', at: begun + 5_000, detail: '2 pods' };
    const seen = {
      evidence: [evicted],
      externalChanges: [{ at: begun, what: 'somebody uncordoned it' }],
      unprotected: ['hand-made', 'hand-made'],
    };
    const done = play(begunStep, { type: 'finishStep', at: begun + 5_000, seen }, { type: 'addEvidence', seen });
    expect(done.now).toBe(begun + 5_000);
    expect(done.status).toMatchObject({
      waiting: undefined,
      unprotected: ['hand-made'],
      externalChanges: seen.externalChanges,
    });
    expect(done.status.evidence).toEqual([excluded, evicted, evicted]);
  });

  test('that stalls needs an operator, until it begins again', () => {
    const stalled = play(begunStep, { type: 'stall', problem: budget });
    expect(stalled).toMatchObject({ current: 'evicting' });
    expect(stalled.status).toMatchObject({
      step: 'stalled',
      problem: budget,
      waiting: { for: 'an operator: evicting', until: undefined, action: 'resume' },
    });
    expect(play(stalled, begin('evicting')).status).not.toHaveProperty('problem');
  });

  test('that stalls because the node is unreachable also waits for its instance to terminate', () => {
    const silent = { code: 'NodeUnreachable', message: 'n1 is not heard' } as const;
    expect(play(begunStep, { type: 'stall', problem: silent }).status.waiting?.action).toBe('the end of i-n1');
  });
});

test('a node can be recalled until its first pod is told to leave', () => {
  expect(isRecallable(opened)).toBe(true);
  expect(isRecallable(play(opened, begin('draining-connections'), { type: 'stall', problem: budget }))).toBe(true);
  expect(isRecallable(play(opened, begin('evicting')))).toBe(false);
  expect(isRecallable(play(opened, begin('restoring')))).toBe(false);
});

test('the connections of a node that is found registered again drain once more, from now on', () => {
  const drained = play(
    opened,
    { type: 'deregister', at: begun + 1_000 },
    { type: 'drainConnections', deregisteredAt: begun + 2_000 },
    { type: 'evictPods', removedAt: { 'uid-pod': begun + 3_000 } },
    { type: 'finishStep', at: begun + 9_000, seen: { evidence: [] } },
  );
  expect(drained).toMatchObject({ deregisteredAt: begun + 2_000, areConnectionsDrained: true });
  expect(drained.removedAt).toEqual({ 'uid-pod': begun + 3_000 });
  const again = play(drained, { type: 'repeatDraining' });
  expect(again).toMatchObject({ deregisteredAt: begun + 9_000, areConnectionsDrained: false });
});

test('the number of resumes only rises, and an abort is kept', () => {
  const heard = play(
    opened,
    { type: 'resume', resumes: 4, isAborted: true },
    { type: 'resume', resumes: 3, isAborted: false },
  );
  expect(heard).toMatchObject({ resumes: 4, isAborted: true });
});

test('a node that is abandoned, recalled and restored says why', () => {
  const ended = play(
    opened,
    { type: 'abandon' },
    { type: 'recall', reason: 'its run r1 is gone' },
    begin('restoring'),
    { type: 'end', step: 'restored' },
  );
  expect(ended).toMatchObject({ isAbandoned: true });
  expect(ended.status).toMatchObject({ step: 'restored', waiting: undefined, restoredBecause: 'its run r1 is gone' });
});

test.each([
  ['before its first step', opened, true],
  ...(['draining-connections', 'evicting', 'restoring'] as const).map(
    (step) => [`while ${step}`, play(opened, begin(step)), true] as const,
  ),
  ['while it is stalled in such a step', play(opened, begin('evicting'), { type: 'stall', problem: budget }), true],
  ['while terminating', play(opened, begin('terminating')), false],
  ['while it is stalled then', play(opened, begin('terminating'), { type: 'stall', problem: budget }), false],
  ['once it has been replaced', play(opened, begin('terminating'), { type: 'end', step: 'replaced' }), false],
] as const)('whether a node can still be restored: %s', (_, state, expected) => {
  expect(isReversible(state)).toBe(expected);
});
