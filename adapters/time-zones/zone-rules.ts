import { Temporal } from 'temporal-polyfill';
import { NodeferryError } from '../../core/model/problem.ts';
import { type LocalTime, localTimeOf, wallClockMs, type ZoneRules } from '../../core/schedule/zone.ts';

/** A time between two clock changes: from `from` until just before `to` (epoch ms), clocks are `offsetMs` ahead of UTC. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly offsetMs: number;
}

/** No local time is further than this from the instants at which clocks read it, ms. */
const maxOffsetMs = 16 * 3_600_000;

const known = new Map<string, ZoneRules>();

/**
 * The rules of a time zone, as the time zone data of this Node has them.
 * @throws NodeferryError InvalidPolicy if there is no such zone
 */
export function zoneRulesOf(timeZone: string): ZoneRules {
  const cached = known.get(timeZone);
  if (cached !== undefined) return cached;
  if (!isTimeZone(timeZone)) {
    throw new NodeferryError({
      code: 'InvalidPolicy',
      message: `There is no time zone '${timeZone.slice(0, 64)}'.`,
      hint: 'Use the IANA name of a time zone, such as Europe/Berlin or UTC, in spec.schedule.timeZone.',
    });
  }
  const rules = createZoneRules(timeZone);
  known.set(timeZone, rules);
  return rules;
}

/** The same, but undefined if there is no such zone. */
export function findZoneRules(name: string): ZoneRules | undefined {
  return isTimeZone(name) ? zoneRulesOf(name) : undefined;
}

/** Whether this is the IANA name of a time zone, in its own spelling: others than Node tell `europe/berlin` from `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  // Temporal also takes offsets, such as +01:00, which have no name.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId === name;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The names of all time zones, without their aliases, to suggest one. */
export function timeZoneNames(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')];
}

/** Asks Temporal once for each time between two clock changes: a schedule asks thousands of times about the same year. */
function createZoneRules(timeZone: string): ZoneRules {
  const segments: Segment[] = [];
  let last: Segment = readSegment(timeZone, 0);
  const segmentAt = (instant: number): Segment => {
    if (isInside(last, instant)) return last;
    let found = segments.find((segment) => isInside(segment, instant));
    if (found === undefined) {
      found = readSegment(timeZone, instant);
      segments.push(found);
    }
    last = found;
    return found;
  };
  return {
    toLocal: (instant) => localTimeOf(instant + segmentAt(instant).offsetMs),
    toInstants(local: LocalTime) {
      const wall = wallClockMs(local);
      const instants: number[] = [];
      for (let at = wall - maxOffsetMs; at <= wall + maxOffsetMs; ) {
        const segment = segmentAt(at);
        const instant = wall - segment.offsetMs;
        if (isInside(segment, instant)) instants.push(instant);
        at = segment.to;
      }
      return instants;
    },
  };
}

function isInside({ from, to }: Segment, instant: number): boolean {
  return from <= instant && instant < to;
}

function readSegment(timeZone: string, instant: number): Segment {
  const at = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
  // `previous` is before the instant, and a change at the instant itself begins its segment.
  const previous = at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  const next = at.getTimeZoneTransition('next');
  return {
    from: previous?.epochMilliseconds ?? -Infinity,
    to: next?.epochMilliseconds ?? Infinity,
    offsetMs: Math.round(at.offsetNanoseconds / 1_000_000),
  };
}
