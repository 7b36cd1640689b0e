import { describe, expect, test } from 'vitest';
import { aRun, begun, play, upToReplace } from './play.ts';

const running = play(aRun(), ...upToReplace);
const since = begun + 1_000;
const counted = (sent: number, lost: number, seenAt: number) =>
  ({ type: 'recordTraffic', counts: { sent, lost, slow: 0 }, seenAt, clock: begun }) as const;
const exceed = { type: 'exceedBudget', reason: '11 requests lost', at: begun + 30_000 } as const;
const resume = { type: 'resume', by: 'bob', reason: '', at: begun } as const;

describe('a run that loses more than its budget', () => {
  test('pauses, and says why', () => {
    const paused = play(running, exceed);
    expect(paused.status.paused).toEqual({ by: 'nodeferry', reason: '11 requests lost', at: begun + 30_000 });
    expect(paused.status.actions.at(-1)).toMatchObject({ action: 'pause', by: 'nodeferry' });
    expect(paused.monitor?.isExceeded).toBe(true);
  });

  test('continues to roll back', () => {
    const turned = play(running, { type: 'beginRollback' }, exceed);
    expect(turned.status.paused).toBeUndefined();
    expect(turned.monitor?.isExceeded).toBe(true);
  });
});

describe('the counts', () => {
  test('only rise, and carry their time', () => {
    const late = play(running, counted(100, 1, begun + 30_000), counted(40, 0, begun + 10_000));
    expect(late.status.traffic).toEqual({ sent: 100, lost: 1, slow: 0 });
    expect(late.now).toBe(begun + 30_000);
  });

  test('of losses are accepted once the run is resumed, and not before', () => {
    const lost = play(running, counted(100, 11, begun + 30_000), exceed);
    expect(play(lost, { type: 'acceptLosses' })).toBe(lost);
    const later = { type: 'recordTime', at: begun + 50_000, clock: begun } as const;
    const accepted = play(lost, later, resume, { type: 'acceptLosses' });
    expect(accepted.monitor).toMatchObject({
      isExceeded: false,
      accepted: { traffic: { lost: 11 }, at: begun + 30_000 },
      acceptedAtResume: 1,
    });
    expect(play(accepted, { type: 'acceptLosses' })).toBe(accepted);
  });
});

test('the lock counts as owned from the resume at which it was confirmed', () => {
  expect(play(running, resume, { type: 'confirmLock', resumes: 1 }).monitor?.lockOwnedAtResume).toBe(1);
});

test('what a watch knew about nodes is kept for the next', () => {
  const outlook = { nodes: ['n1'], outAt: begun };
  expect(play(running, { type: 'recordOutlook', outlook }).monitor?.outlook).toEqual(outlook);
});

describe('when the monitor stops', () => {
  const later = { type: 'recordTime', at: begun + 100_000, clock: begun } as const;

  test('the time since the last watch counts as unwatched', () => {
    const stopped = play(running, counted(10, 0, begun + 40_000), later, { type: 'stopMonitor' });
    expect(stopped.monitor).toBeUndefined();
    expect(stopped.status.traffic).toMatchObject({ unwatchedMs: 60_000 });
  });

  test('the whole time counts as unwatched if no watch has returned counts', () => {
    const stopped = play(running, later, { type: 'stopMonitor' });
    expect(stopped.status.traffic.unwatched).toEqual([{ from: since, to: begun + 100_000 }]);
  });

  test('no time counts as unwatched where nothing is measured', () => {
    const blind = play(running, { type: 'startMonitor', isMeasuring: false }, later, { type: 'stopMonitor' });
    expect(blind.status.traffic).not.toHaveProperty('unwatchedMs');
  });

  test('its events no longer change anything, but the counts are kept', () => {
    const stopped = play(running, { type: 'stopMonitor' });
    expect(
      play(
        stopped,
        { type: 'stopMonitor' },
        { type: 'recordOutlook', outlook: { nodes: ['n1'] } },
        { type: 'acceptLosses' },
      ),
    ).toBe(stopped);
    expect(play(stopped, counted(10, 0, begun + 40_000)).status.traffic.sent).toBe(10);
  });
});
