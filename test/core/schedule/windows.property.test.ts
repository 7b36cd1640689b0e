import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zoneRulesOf } from '../../../adapters/time-zones/zone-rules.ts';
import {
  type FreezePeriod,
  type SchedulePolicy,
  type WindowRule,
  weekdays,
  weeksOfMonth,
} from '../../../core/schedule/schedule.ts';
import { openPeriods } from '../../../core/schedule/windows.ts';
import { localTimeOf, type ZoneRules } from '../../../core/schedule/zone.ts';
import { daysOfChange, luxonZone, zones } from './luxon-zone.ts';
import { judgePeriods } from './windows-hold.ts';

const dayMs = 86_400_000;
/** Of windows, zones and days. */
const runs = Number(process.env['NODEFERRY_PROPERTY_RUNS'] ?? 1000);
const second = new Map(zones.map((zone) => [zone, luxonZone(zone)]));
const changes = new Map(zones.map((zone) => [zone, daysOfChange(zone)]));
const luxonOf = (zone: string) => second.get(zone) ?? luxonZone(zone);

const minuteOfDay = fc.oneof(
  fc.nat(95).map((quarter) => quarter * 15),
  // Clocks change at night, and most mistakes are there.
  fc.nat(16).map((quarter) => quarter * 15),
  fc.nat(1439),
);

const aWindow: fc.Arbitrary<WindowRule> = fc
  .record({
    days: fc.oneof(fc.constant(weekdays), fc.subarray([...weekdays], { minLength: 1 })),
    weeks: fc.option(fc.subarray([...weeksOfMonth], { minLength: 1 }), { nil: undefined, freq: 4 }),
    startMinute: minuteOfDay,
    length: fc.oneof(fc.integer({ min: 1, max: 180 }), fc.integer({ min: 1, max: 1440 })),
  })
  .map(({ days, weeks, startMinute, length }) => ({
    days,
    ...(weeks === undefined ? {} : { weeks }),
    startMinute,
    endMinute: startMinute + length,
  }));

/** A zone with five days: any, those of a clock change, or the end of a month. */
const aScene = fc.constantFrom(...zones).chain((timeZone) => {
  const anyDay = fc.integer({ min: 14_000, max: 25_000 }).map((day) => day * dayMs);
  const monthEnd = fc.tuple(fc.integer({ min: 2010, max: 2035 }), fc.nat(11)).map(([y, m]) => Date.UTC(y, m, 1));
  const change = changes.get(timeZone) ?? [];
  const around = change.length === 0 ? anyDay : fc.constantFrom(...change);
  return fc.record({
    timeZone: fc.constant(timeZone),
    from: fc.oneof(anyDay, around, around, monthEnd).map((day) => day - 2 * dayMs),
    windows: fc.array(aWindow, { minLength: 1, maxLength: 3 }),
  });
});

type Scene = typeof aScene extends fc.Arbitrary<infer S> ? S : never;

function scheduleOf({ timeZone, windows }: Scene): SchedulePolicy {
  return { timeZone, windows, freezes: [], calendars: [] };
}

function judge(scene: Scene, zone: ZoneRules): readonly string[] {
  const schedule = scheduleOf(scene);
  const range = { from: scene.from, to: scene.from + 4 * dayMs };
  const periods = openPeriods({ schedule, freezes: [], zone, ...range });
  return judgePeriods(periods, schedule, luxonOf(scene.timeZone), range);
}

describe('in any zone, on any day', () => {
  test('a window is open while wall clocks read a time in it, and none is missed', () => {
    fc.assert(
      fc.property(aScene, (scene) => {
        expect(judge(scene, zoneRulesOf(scene.timeZone))).toEqual([]);
      }),
      { numRuns: runs },
    );
  });

  test('both implementations of time zones find the same periods', () => {
    fc.assert(
      fc.property(aScene, (scene) => {
        const facts = { schedule: scheduleOf(scene), freezes: [], from: scene.from, to: scene.from + 4 * dayMs };
        const periods = openPeriods({ ...facts, zone: zoneRulesOf(scene.timeZone) });
        expect(periods).toEqual(openPeriods({ ...facts, zone: luxonOf(scene.timeZone) }));
      }),
      { numRuns: runs },
    );
  });

  test('freezes take away their own time and nothing else', () => {
    const aFreeze = fc.tuple(fc.nat(5760), fc.integer({ min: 1, max: 3000 }));
    fc.assert(
      fc.property(aScene, fc.array(aFreeze, { maxLength: 4 }), (scene, spans) => {
        const { from } = scene;
        const freezes = spans.map(
          ([start, length]): FreezePeriod => ({
            name: 'f',
            from: from + start * 60_000,
            to: from + (start + length) * 60_000,
          }),
        );
        const facts = { schedule: scheduleOf(scene), zone: zoneRulesOf(scene.timeZone), from, to: from + 4 * dayMs };
        const all = openPeriods({ ...facts, freezes: [] });
        const left = openPeriods({ ...facts, freezes });
        const wrong: number[] = [];
        for (let at = from; at < facts.to; at += 17 * 60_000) {
          const isIn = (one: { opensAt: number; closesAt: number }) => one.opensAt <= at && at < one.closesAt;
          const isFrozen = freezes.some((one) => one.from <= at && at < one.to);
          if (left.some(isIn) !== (all.some(isIn) && !isFrozen)) wrong.push(at);
        }
        expect(wrong).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the judge of these properties refuses', () => {
  const wrong: Readonly<Record<string, (timeZone: string, from: number) => ZoneRules>> = {
    'clocks that never change': (timeZone, from) => {
      const offset = Math.round(offsetAt(luxonOf(timeZone), from));
      return {
        toLocal: (instant) => localTimeOf(instant + offset),
        toInstants: (local) => [
          Date.UTC(local.year, local.month - 1, local.day, local.hour, local.minute, local.second) - offset,
        ],
      };
    },
    'opening at the first of two times and closing at the second': (timeZone) => {
      const zone = luxonOf(timeZone);
      return { ...zone, toInstants: (local) => zone.toInstants(local).toReversed() };
    },
    'leaving out a window whose start does not exist': (timeZone) => {
      const zone = luxonOf(timeZone);
      const never = Date.UTC(2099, 0, 1);
      return {
        ...zone,
        toInstants: (local) => {
          const instants = zone.toInstants(local);
          return instants.length === 0 ? [never] : instants;
        },
      };
    },
  };
  test.each(Object.keys(wrong))('%s', (name) => {
    const scenes = fc.sample(aScene, { numRuns: 1000, seed: 7 });
    const refused = scenes.filter(
      (scene) => judge(scene, wrong[name]?.(scene.timeZone, scene.from) ?? luxonOf('UTC')).length > 0,
    );
    expect(refused.length).toBeGreaterThan(5);
  });
});

function offsetAt(zone: ZoneRules, instant: number): number {
  const local = zone.toLocal(instant);
  return Date.UTC(local.year, local.month - 1, local.day, local.hour, local.minute, local.second) - instant;
}
