import { describe, expect, test } from 'vitest';
import { isTimeZone, timeZoneNames, zoneRulesOf } from '../../../adapters/time-zones/zone-rules.ts';
import { firstInstantAtOrAfter, lastInstantAt } from '../../../core/schedule/zone.ts';
import { luxonZone, zones } from '../../core/schedule/luxon-zone.ts';

const at = (year: number, month: number, day: number, hour = 0, minute = 0) => ({
  year,
  month,
  day,
  hour,
  minute,
  second: 0,
});

describe('the rules of a zone', () => {
  test('know a time that clocks skip, and one that they repeat', () => {
    const berlin = zoneRulesOf('Europe/Berlin');
    expect(berlin.toInstants(at(2027, 3, 28, 2, 30))).toEqual([]);
    expect(firstInstantAtOrAfter(berlin, at(2027, 3, 28, 2, 30))).toBe(Date.UTC(2027, 2, 28, 1));
    expect(berlin.toInstants(at(2026, 10, 25, 2, 30))).toEqual([
      Date.UTC(2026, 9, 25, 0, 30),
      Date.UTC(2026, 9, 25, 1, 30),
    ]);
    expect(lastInstantAt(berlin, at(2026, 10, 25, 2, 30))).toBe(Date.UTC(2026, 9, 25, 1, 30));
  });

  test('know a day that was skipped', () => {
    const apia = zoneRulesOf('Pacific/Apia');
    expect(apia.toInstants(at(2011, 12, 30, 12))).toEqual([]);
    expect(firstInstantAtOrAfter(apia, at(2011, 12, 30, 12))).toBe(Date.UTC(2011, 11, 30, 10));
    expect(apia.toLocal(Date.UTC(2011, 11, 30, 10))).toEqual(at(2011, 12, 31));
  });

  test.each(zones)('of %s are those of a second implementation, for every six hours of 35 years', (zone) => {
    const [rules, second] = [zoneRulesOf(zone), luxonZone(zone)];
    const different: number[] = [];
    for (let instant = Date.UTC(2005, 0, 1); instant < Date.UTC(2040, 0, 1); instant += 6 * 3_600_000) {
      const local = rules.toLocal(instant);
      const isSame = JSON.stringify(local) === JSON.stringify(second.toLocal(instant));
      if (!isSame || !rules.toInstants(local).includes(instant)) different.push(instant);
    }
    expect(different).toEqual([]);
  });
});

describe('the name of a zone', () => {
  test.each(['UTC', 'Europe/Berlin', 'Asia/Calcutta', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires'])('%s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  test.each(['', 'europe/berlin', 'Europe/Berlln', '+01:00', 'Local', 'CEST'])('is not %j', (name) => {
    expect(isTimeZone(name)).toBe(false);
    expect(() => zoneRulesOf(name)).toThrow(`There is no time zone '${name}'.`);
  });

  test('is suggested from all that Node knows', () => {
    expect(timeZoneNames()).toContain('Europe/Berlin');
    expect(timeZoneNames()).toContain('UTC');
  });
});
