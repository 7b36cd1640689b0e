/** What a wall clock reads, without a time zone. Always a valid date of the Gregorian calendar. */
export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  /** 0 to 23. */
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** The rules of one time zone. Instants are epoch ms, on whole seconds. */
export interface ZoneRules {
  /** What wall clocks read at an instant. */
  toLocal(instantMs: number): LocalTime;
  /**
   * The instants at which wall clocks read this, ascending: usually one. None for a time that the clock skips (02:30 in spring), and two for
   * one that it repeats (02:30 in autumn).
   */
  toInstants(local: LocalTime): readonly number[];
}

/** No zone was ever further from UTC than this, ms; today's extremes are -12:00 and +14:00. */
const maxOffsetMs = 16 * 3_600_000;

/**
 * The first instant at which the wall clock reads this or later. Where the clock skips the time, that is the instant of the change: 02:30 in
 * a night that goes from 02:00 to 03:00 becomes the instant at which clocks read 03:00.
 */
export function firstInstantAtOrAfter(zone: ZoneRules, local: LocalTime): number {
  const [first] = zone.toInstants(local);
  return first ?? changeThatSkips(zone, local);
}

/** The last instant at which the wall clock reads this; where the clock skips the time, the instant of the change. */
export function lastInstantAt(zone: ZoneRules, local: LocalTime): number {
  return zone.toInstants(local).at(-1) ?? changeThatSkips(zone, local);
}

/** The instant of the clock change that skips a time. Bisects to the second: clocks change on whole seconds. */
function changeThatSkips(zone: ZoneRules, local: LocalTime): number {
  const wanted = wallClockMs(local);
  let before = wanted - maxOffsetMs;
  let after = wanted + maxOffsetMs;
  while (after - before > 1000) {
    const middle = before + Math.floor((after - before) / 2000) * 1000;
    if (wallClockMs(zone.toLocal(middle)) < wanted) before = middle;
    else after = middle;
  }
  return after;
}

/** A local time as a number that orders and measures wall clock time: what epoch ms would be if the clock showed UTC. */
export function wallClockMs({ year, month, day, hour, minute, second }: LocalTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The local time that a number of `wallClockMs` stands for. Part of a second is dropped. */
export function localTimeOf(wallMs: number): LocalTime {
  const date = new Date(wallMs);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}
