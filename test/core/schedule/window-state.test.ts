import { describe, expect, test } from 'vitest';
import { describeWindow, describeWindowState } from '../../../core/schedule/describe-schedule.ts';
import { decideStart, findFittingPeriod } from '../../../core/schedule/fits.ts';
import { windowState } from '../../../core/schedule/window-state.ts';
import type { ScheduleFacts } from '../../../core/schedule/windows.ts';
import { aFreeze, aSchedule, aWindow, utc } from './scene.ts';

const nights = [aWindow('22:00', '04:00', { days: ['Mon', 'Tue', 'Wed', 'Thu'] })];
const hour = 3_600_000;

function stateAt(facts: ScheduleFacts, at: string) {
  return windowState({ ...facts, now: utc(at) });
}

function describeAt(facts: ScheduleFacts, at: string): string {
  return describeWindowState(stateAt(facts, at), utc(at), facts.zone);
}

describe('the state of the windows', () => {
  test('is open, with its end and the next opening', () => {
    expect(stateAt(aSchedule('UTC', nights), '2026-11-03T01:50')).toEqual({
      open: true,
      since: utc('2026-11-02T22:00'),
      until: utc('2026-11-03T04:00'),
      opensNext: utc('2026-11-03T22:00'),
    });
  });

  test('is closed from the instant at which a window ends', () => {
    const facts = aSchedule('UTC', nights);
    expect(stateAt(facts, '2026-11-03T04:00')).toEqual({
      open: false,
      opensAt: utc('2026-11-03T22:00'),
      freeze: undefined,
    });
    expect(stateAt(facts, '2026-11-03T22:00').open).toBe(true);
  });

  test('names the freeze that keeps a window closed, now or next', () => {
    const facts = aSchedule('UTC', nights, [
      aFreeze('short', '2026-12-18', '2026-12-20'),
      aFreeze('year-end', '2026-12-18', '2027-01-05'),
    ]);
    const closed = { open: false, opensAt: utc('2027-01-05T00:00'), freeze: 'year-end' };
    expect(stateAt(facts, '2026-12-22T23:00')).toEqual(closed);
    expect(stateAt(facts, '2026-12-22T12:00')).toEqual(closed);
    // Without the freeze the window would not be open any sooner.
    expect(stateAt(facts, '2027-01-05T12:00')).toMatchObject({ freeze: undefined });
  });

  test('has no opening where all windows are frozen, or none exists', () => {
    const frozen = aSchedule('UTC', nights, [aFreeze('forever', '2020-01-01', '2030-01-01')]);
    expect(stateAt(frozen, '2026-11-03T01:00')).toEqual({ open: false, opensAt: undefined, freeze: 'forever' });
    const never = aSchedule('UTC', [aWindow('22:00', '23:00', { days: [] })]);
    expect(stateAt(never, '2026-11-03T01:00')).toEqual({ open: false, opensAt: undefined, freeze: undefined });
  });

  test('has no end where a window is always open', () => {
    const always = aSchedule('UTC', [aWindow('00:00', '24:00')]);
    expect(stateAt(always, '2026-11-03T01:00')).toMatchObject({ open: true, until: undefined, opensNext: undefined });
  });

  test('finds an opening that is months away', () => {
    const facts = aSchedule('UTC', nights, [aFreeze('long', '2026-11-01', '2027-10-01')]);
    expect(stateAt(facts, '2026-11-03T01:00')).toMatchObject({ opensAt: utc('2027-10-01T00:00') });
  });
});

describe('a batch', () => {
  const facts = aSchedule('UTC', nights, [aFreeze('year-end', '2026-12-18', '2027-01-05')]);
  const decideAt = (at: string, neededMs: number) => decideStart({ state: stateAt(facts, at), now: utc(at), neededMs });

  test('starts if it can finish before the window closes, to the last second', () => {
    expect(decideAt('2026-11-03T02:00', 2 * hour)).toEqual({ start: true });
    expect(decideAt('2026-11-03T02:00', 2 * hour + 1000)).toEqual({
      start: false,
      reason: 'the next batch may take 2h, and the window closes in 2h',
      waitUntil: utc('2026-11-03T22:00'),
    });
  });

  test('does not start while no window is open', () => {
    const waitUntil = utc('2026-11-03T22:00');
    expect(decideAt('2026-11-03T12:00', 0)).toEqual({ start: false, reason: 'no window is open', waitUntil });
    expect(decideAt('2026-12-22T23:00', 0)).toMatchObject({ start: false, reason: 'freeze year-end' });
  });

  test('that takes longer than every window never fits', () => {
    const now = utc('2026-11-03T12:00');
    expect(findFittingPeriod({ ...facts, now, neededMs: 6 * hour })).toMatchObject({
      neverFits: false,
      period: { opensAt: utc('2026-11-03T22:00') },
    });
    expect(findFittingPeriod({ ...facts, now, neededMs: 6 * hour + 1 })).toMatchObject({
      neverFits: true,
      longest: { opensAt: utc('2026-11-03T22:00'), closesAt: utc('2026-11-04T04:00') },
    });
    const never = aSchedule('UTC', [aWindow('22:00', '23:00', { days: [] })]);
    expect(findFittingPeriod({ ...never, now, neededMs: 1 })).toEqual({ neverFits: true, longest: undefined });
  });
});

describe('described on one line', () => {
  test.each([
    [aWindow('22:00', '04:00', { days: ['Mon', 'Tue', 'Wed', 'Thu'] }), 'Mon-Thu 22:00-04:00 UTC'],
    [aWindow('00:00', '24:00', { days: ['Sat'], weeks: ['first', 'last'] }), 'first and last Sat 00:00-24:00 UTC'],
    [aWindow('01:30', '02:00'), 'daily 01:30-02:00 UTC'],
    [aWindow('01:30', '02:00', { days: ['Mon', 'Tue', 'Fri'] }), 'Mon, Tue, Fri 01:30-02:00 UTC'],
    [aWindow('01:30', '02:00', { days: ['Mon', 'Wed', 'Fri', 'Sat', 'Sun'] }), 'Wed, Fri-Mon 01:30-02:00 UTC'],
    [aWindow('22:00', '00:00'), 'daily 22:00-24:00 UTC'],
  ])('%#: a window', (window, expected) => {
    expect(describeWindow(window, 'UTC')).toBe(expected);
  });

  test('whether a window is open', () => {
    const facts = aSchedule('Europe/Berlin', nights, [aFreeze('year-end', '2026-12-18', '2027-01-05')]);
    expect(describeAt(facts, '2026-11-03T00:50')).toBe('open until Tue 04:00 (in 2h 10m)');
    expect(describeAt(facts, '2026-11-06T17:00')).toBe('opens Mon 22:00 (in 3d 4h)');
    expect(describeAt(facts, '2026-12-22T22:00')).toBe('opens Tue 2027-01-05 00:00 (in 13d 1h), freeze year-end');
    const never = aSchedule('UTC', nights, [aFreeze('x', '2020-01-01', '2030-01-01')]);
    expect(describeAt(never, '2026-11-06T17:00')).toBe('closed, and no window opens within 400 days, freeze x');
    expect(describeAt(aSchedule('UTC', [aWindow('00:00', '24:00')]), '2026-11-06T17:00')).toBe('open');
  });
});
