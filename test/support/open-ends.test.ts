import { describe, expect, test } from 'vitest';
import type { Awaits } from './awaits.ts';
import { type AttemptState, createOpenEnds } from './open-ends.ts';

const parent = { workflowId: 'pool', runId: 'p1' };
const child = { workflowId: 'node', runId: 'n1' };
const nothing: Awaits = { ended: false, cancelled: false, activities: [], children: [], sent: [], handled: [] };

function openEnds() {
  const attempts = new Map<string, AttemptState>();
  const ends = createOpenEnds(
    (activity) => attempts.get(activity) ?? 'none',
    () => undefined,
  );
  return { ends, attempts };
}

describe('what keeps virtual time still', () => {
  test('is a run from its start on the server until it tells', () => {
    const { ends } = openEnds();
    ends.expect(parent);
    expect(ends.whyStill()).toBe('pool has not begun');
    ends.tell(parent, nothing);
    expect(ends.whyStill()).toBeUndefined();
    ends.expect(parent);
    expect(ends.whyStill()).toBeUndefined();
  });

  test('is an activity without an attempt, and one that has not heard of its cancellation', () => {
    const { ends, attempts } = openEnds();
    ends.tell(parent, { ...nothing, activities: [{ id: '3', cancelled: false }] });
    expect(ends.whyStill()).toBe('no attempt of pool/p1/3 runs');
    attempts.set('pool/p1/3', 'queued');
    expect(ends.whyStill()).toBeUndefined();
    attempts.set('pool/p1/3', 'running');
    expect(ends.whyStill()).toBeUndefined();
    ends.tell(parent, { ...nothing, activities: [{ id: '3', cancelled: true }] });
    expect(ends.whyStill()).toBe('pool/p1/3 has not heard that it is cancelled');
    attempts.set('pool/p1/3', 'cancelled');
    expect(ends.whyStill()).toBeUndefined();
  });

  test('is a child that begins, hears of its cancellation, or has ended unheard; a second run of it counts anew', () => {
    const { ends } = openEnds();
    const asked = { workflowId: 'node', started: false, cancelled: false };
    ends.tell(parent, { ...nothing, children: [asked] });
    expect(ends.whyStill()).toBe('node begins or has ended');
    ends.tell(parent, { ...nothing, children: [{ ...asked, started: true }] });
    expect(ends.whyStill()).toBe('node begins or has ended');
    ends.tell(child, nothing);
    expect(ends.whyStill()).toBeUndefined();
    ends.tell(parent, { ...nothing, children: [{ ...asked, started: true, cancelled: true }] });
    expect(ends.whyStill()).toBe('node has not heard that it is cancelled');
    ends.tell(child, { ...nothing, cancelled: true });
    expect(ends.whyStill()).toBeUndefined();
    ends.tell(child, { ...nothing, cancelled: true, ended: true });
    expect(ends.whyStill()).toBe('node begins or has ended');
    ends.tell(parent, nothing);
    expect(ends.whyStill()).toBeUndefined();
    ends.tell(parent, { ...nothing, children: [{ ...asked, started: true }] });
    expect(ends.whyStill()).toBe('node begins or has ended');
    ends.tell({ ...child, runId: 'n2' }, nothing);
    expect(ends.whyStill()).toBeUndefined();
  });

  test('is a signal until its sender knows that it arrived and its receiver has handled it', () => {
    const { ends } = openEnds();
    ends.tell(child, nothing);
    ends.tell(parent, { ...nothing, sent: [{ id: 'p1/1', to: 'node', delivered: false }] });
    expect(ends.whyStill()).toBe('signal p1/1 is on its way to node');
    ends.tell(child, { ...nothing, handled: ['p1/1'] });
    expect(ends.whyStill()).toBe('signal p1/1 is on its way to node');
    ends.tell(parent, { ...nothing, sent: [{ id: 'p1/1', to: 'node', delivered: true }] });
    expect(ends.whyStill()).toBeUndefined();
  });

  test('is no signal to a workflow that was terminated, and nothing that one waited for', () => {
    const { ends } = openEnds();
    ends.tell(child, { ...nothing, activities: [{ id: '1', cancelled: false }] });
    ends.tell(parent, { ...nothing, sent: [{ id: 'p1/1', to: 'node', delivered: true }] });
    ends.terminated('node');
    expect(ends.whyStill()).toBeUndefined();
    ends.tell(child, { ...nothing, activities: [{ id: '1', cancelled: false }] });
    expect(ends.whyStill()).toBeUndefined();
    expect(ends.openRuns()).toEqual([expect.objectContaining(parent)]);
  });

  test('is no signal to a workflow that nobody here works on, also once another of that name begins', () => {
    const { ends } = openEnds();
    const signal = { id: 'p1/1', to: 'node', delivered: true };
    ends.tell(parent, { ...nothing, sent: [signal] });
    ends.tell(child, nothing);
    expect(ends.whyStill()).toBeUndefined();
    const asked = { workflowId: 'node', started: true, cancelled: false };
    ends.tell({ ...parent, runId: 'p2' }, { ...nothing, sent: [{ ...signal, id: 'p2/1' }], children: [asked] });
    expect(ends.whyStill()).toBe('signal p2/1 is on its way to node');
  });

  test('has the cancellation of the children of a workflow that was terminated', () => {
    const { ends } = openEnds();
    ends.tell(child, nothing);
    ends.tell(parent, { ...nothing, children: [{ workflowId: 'node', started: true, cancelled: false }] });
    ends.terminated('pool');
    expect(ends.whyStill()).toBe('node has not heard that it is cancelled');
    ends.tell(child, { ...nothing, cancelled: true });
    expect(ends.whyStill()).toBeUndefined();
  });

  test('is a call of the test while it is under way, and its signal or cancellation until it has arrived', () => {
    const { ends } = openEnds();
    ends.tell(parent, nothing);
    const done = ends.beginCall('pause of pool');
    expect(ends.whyStill()).toBe('pause of pool is under way');
    done();
    const revoke = ends.signalSent('s1', 'pool');
    expect(ends.whyStill()).toBe('signal s1 is on its way to pool');
    revoke();
    expect(ends.whyStill()).toBeUndefined();
    ends.signalSent('s2', 'pool');
    ends.tell(parent, { ...nothing, handled: ['s2'] });
    expect(ends.whyStill()).toBeUndefined();
    ends.cancelSent('pool');
    expect(ends.whyStill()).toBe('pool has not heard that it is cancelled');
    ends.tell(parent, { ...nothing, cancelled: true });
    expect(ends.whyStill()).toBeUndefined();
  });
});

test('an activity is to end once it is cancelled, not awaited any more, or its run is over: not before', () => {
  const { ends } = openEnds();
  const key = 'pool/p1/3';
  expect(ends.isToEnd(key)).toBe(false);
  ends.expect(parent);
  expect(ends.isToEnd(key)).toBe(false);
  ends.tell(parent, { ...nothing, activities: [{ id: '3', cancelled: false }] });
  expect(ends.isToEnd(key)).toBe(false);
  ends.tell(parent, { ...nothing, activities: [{ id: '3', cancelled: true }] });
  expect(ends.isToEnd(key)).toBe(true);
  ends.tell(parent, { ...nothing, activities: [{ id: '4', cancelled: false }] });
  expect([ends.isToEnd(key), ends.isToEnd('pool/p1/4')]).toEqual([true, false]);
  ends.terminated(parent.workflowId);
  expect(ends.isToEnd('pool/p1/4')).toBe(true);
});
