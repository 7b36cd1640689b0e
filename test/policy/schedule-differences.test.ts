import { describe, expect, test } from 'vitest';
import { diffSchedules } from '../../core/policy/schedule-differences.ts';
import { aScheduledPolicy } from '../client/schedule/fixture.ts';

const before = aScheduledPolicy(`
    timeZone: UTC
    windows: [{days: [Mon, Tue, Wed], start: "22:00", end: "04:00"}]
    freezes: [{name: Easter, from: 2027-03-26, to: 2027-03-29}, {name: Christmas, from: 2026-12-18, to: 2027-01-06}]`).schedule;

describe('diffSchedules', () => {
  test('compares windows one by one, and freezes and calendars wherever they are', () => {
    const after = aScheduledPolicy(`
    timeZone: Europe/Berlin
    windows: [{days: [Mon], start: "22:00", end: "05:00"}, {start: "01:00", end: "02:00"}]
    freezes: [{name: Christmas, from: 2026-12-18, to: 2027-01-06}, {name: audit, from: 2027-02-01T08:00, to: 2027-02-02}]
    calendars: [{url: "https://calendar.example/a.ics"}]`).schedule;

    expect(diffSchedules(before, after)).toEqual([
      { field: 'schedule.timeZone', from: 'UTC', to: 'Europe/Berlin' },
      { field: 'schedule.windows[0]', from: 'Mon-Wed 22:00-04:00', to: 'Mon 22:00-05:00' },
      { field: 'schedule.windows[1]', to: 'daily 01:00-02:00' },
      { field: 'schedule.freezes', from: 'Easter: 2027-03-26 00:00 to 2027-03-30 00:00' },
      { field: 'schedule.freezes', to: 'audit: 2027-02-01 08:00 to 2027-02-03 00:00' },
      { field: 'schedule.calendars', to: 'https://calendar.example/a.ics' },
    ]);
  });

  test('names what is added and what is removed as a whole', () => {
    const added = diffSchedules(undefined, before);

    expect(added).toContainEqual({ field: 'schedule.windows[0]', to: 'Mon-Wed 22:00-04:00' });
    expect(added).toContainEqual({ field: 'schedule.timeZone', to: 'UTC' });
    expect(diffSchedules(before, undefined)).toEqual(added.map(({ field, to }) => ({ field, from: to })));
    expect(diffSchedules(before, structuredClone(before))).toEqual([]);
  });
});
