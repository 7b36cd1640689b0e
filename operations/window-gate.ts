import { NodeferryError } from '../core/model/problem.ts';
import { describeWindowCheck } from '../core/schedule/describe-check.ts';
import { describeWindowState } from '../core/schedule/describe-schedule.ts';
import { decideStart } from '../core/schedule/fits.ts';
import { type ExpectedTimes, type LearnedTimes, neededTime, type WindowWork } from '../core/schedule/needed-time.ts';
import { type FreezePeriod, horizonMs, type SchedulePolicy } from '../core/schedule/schedule.ts';
import { windowState } from '../core/schedule/window-state.ts';
import type { WindowStatus } from '../core/schedule/window-status.ts';
import type { ZoneRules } from '../core/schedule/zone.ts';
import type { Ports } from '../ports/ports.ts';

/** What has to fit into an upgrade window. */
export interface WindowQuestion {
  readonly schedule: SchedulePolicy;
  readonly work: WindowWork;
  readonly expected: ExpectedTimes;
}

/** Whether it may start, and after which time, ms, the answer may be another one. */
interface WindowCheck {
  readonly window: WindowStatus;
  readonly checkAgainInMs: number;
}

/** Decides whether work may start now. */
export interface WindowGate {
  /** `now` is epoch ms. A calendar that can't be read keeps everything closed: what it freezes is not known. */
  check(question: WindowQuestion, now: number): Promise<WindowCheck>;
  /**
   * Why nothing is to be started now, because no window is open or opens within some minutes. Undefined when a run is to be started: also where
   * a calendar can't be read, because the run then waits for it, and says so.
   */
  explainClosed(schedule: SchedulePolicy, now: number): Promise<string | undefined>;
}

/** A schedule may fire so much, ms, before a window opens by the clock of a worker. */
const earlyMs = 10 * 60_000;

/** How old the events of a calendar may be, ms: a freeze that somebody has just added applies within a minute. */
const calendarForMs = 60_000;

/** How old learned durations may be, ms. They change when a run ends. */
const learnedForMs = 10 * 60_000;

/** Time until the next check of the calendars, ms: somebody may have added or removed a freeze. */
const calendarAgainMs = 5 * 60_000;

/** Time until the next check where no calendar can change, ms. */
const againMs = 6 * 3_600_000;

/** Time until the next check of a calendar that could not be read, ms. */
const unreadAgainMs = 60_000;

/** Decides whether work may start now, from the schedule of a policy, its calendars, and what earlier runs have learned. */
export function createWindowGate({ timings, windows }: Pick<Ports, 'timings' | 'windows'>): WindowGate {
  let known: { readonly at: number; readonly learned: LearnedTimes } | undefined;
  const read = new Map<string, { readonly at: number; readonly events: readonly FreezePeriod[] }>();

  return {
    check: async ({ schedule, work, expected }, now) => {
      const zone = windows.zoneOf(schedule.timeZone);
      const calendars = await readCalendars(schedule, zone, now);
      if ('unread' in calendars) {
        const detail = `no batch starts, because what the calendars freeze is not known: ${calendars.unread}`;
        return {
          window: { mayStart: false, detail, until: undefined, checkedAt: now },
          checkAgainInMs: unreadAgainMs,
        };
      }
      if (known === undefined || now - known.at > learnedForMs) known = { at: now, learned: await timings.read() };
      const needed = neededTime(work, expected, known.learned);
      const facts = { schedule, zone, freezes: calendars.freezes };
      const state = windowState({ ...facts, now });
      const decision = decideStart({ state, now, neededMs: needed.ms });
      const detail = describeWindowCheck({ facts, state, decision, needed, now });
      const changesAt = decision.start ? (state.open ? state.until : undefined) : decision.waitUntil;
      const maxMs = hasAddresses(schedule) ? calendarAgainMs : againMs;
      return {
        window: { mayStart: decision.start, detail, until: changesAt, checkedAt: now },
        checkAgainInMs: Math.max(1_000, Math.min(maxMs, (changesAt ?? Infinity) - now)),
      };
    },

    explainClosed: async (schedule, now) => {
      const zone = windows.zoneOf(schedule.timeZone);
      const calendars = await readCalendars(schedule, zone, now);
      if ('unread' in calendars) return undefined;
      const state = windowState({ schedule, zone, freezes: calendars.freezes, now });
      if (state.open || (state.opensAt ?? Infinity) - now <= earlyMs) return undefined;
      return describeWindowState(state, now, zone);
    },
  };

  async function readCalendars(
    schedule: SchedulePolicy,
    zone: ZoneRules,
    now: number,
  ): Promise<{ readonly freezes: readonly FreezePeriod[] } | { readonly unread: string }> {
    const freezes: FreezePeriod[] = [];
    for (const calendar of schedule.calendars) {
      if (!('url' in calendar)) continue;
      try {
        freezes.push(...(await eventsOf(calendar.url, zone, now)));
      } catch (error) {
        if (!(error instanceof NodeferryError)) throw error;
        return { unread: error.problem.message };
      }
    }
    return { freezes };
  }

  async function eventsOf(url: string, zone: ZoneRules, now: number): Promise<readonly FreezePeriod[]> {
    const earlier = read.get(url);
    if (earlier !== undefined && now - earlier.at < calendarForMs) return earlier.events;
    const events = await windows.readCalendar(url, { zone, from: now - horizonMs, to: now + horizonMs });
    read.set(url, { at: now, events });
    return events;
  }
}

function hasAddresses({ calendars }: SchedulePolicy): boolean {
  return calendars.some((calendar) => 'url' in calendar);
}
