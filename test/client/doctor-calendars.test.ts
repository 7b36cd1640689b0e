import { describe, expect, test } from 'vitest';
import { checkCalendars } from '../../client/doctor/calendars.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';

const now = Date.UTC(2026, 0, 2);
const schedule = { timeZone: 'UTC', windows: [], freezes: [], calendars: [] };

describe('the calendars of a policy, in doctor', () => {
  test('are named when they cannot be read here, as a warning', async () => {
    const calendars = [{ url: 'http://127.0.0.1:1/freezes.ics' }];

    const checks = await checkCalendars(scenarioPolicy({ schedule: { ...schedule, calendars } }), now);

    expect(checks).toMatchObject([
      {
        id: 'policy.calendars',
        state: 'warning',
        found: expect.stringContaining('http://127.0.0.1:1/freezes.ics cannot be read here: '),
        fix: expect.stringContaining('no window is open'),
      },
    ]);
  });

  test('are not mentioned where there are none', async () => {
    expect(await checkCalendars(scenarioPolicy(), now)).toEqual([]);
    expect(await checkCalendars(scenarioPolicy({ schedule }), now)).toEqual([]);
  });
});
