import { horizonMs, type OpenPeriod } from './schedule.ts';
import { allFreezes, openPeriods, type ScheduleFacts } from './windows.ts';

/** Whether a pool may be upgraded now. All times are epoch ms. */
export type WindowState =
  | {
      readonly open: true;
      /** At most 400 days ago, even if it has been open for longer. */
      readonly since: number;
      /** Undefined: it does not close within 400 days. */
      readonly until: number | undefined;
      /** When a window opens after that. Undefined: not within 400 days. */
      readonly opensNext: number | undefined;
    }
  | {
      readonly open: false;
      /** Undefined: no window opens within 400 days. */
      readonly opensAt: number | undefined;
      /** The freeze without which a window would be open already, or would open sooner. Undefined: there is no window until then. */
      readonly freeze: string | undefined;
    };

/** How far to search, ms. Most schedules have an opening within a week, and the whole horizon takes a hundred times as long. */
const stepsMs = [8 * 86_400_000, 40 * 86_400_000, horizonMs];

/** Whether a window is open at an instant (epoch ms), and when that changes. */
export function windowState(facts: ScheduleFacts & { readonly now: number }): WindowState {
  const { now } = facts;
  const { current, next } = findPeriods(facts, now);
  if (current !== undefined) {
    const until = current.closesAt >= now + horizonMs ? undefined : current.closesAt;
    return { open: true, since: current.opensAt, until, opensNext: next?.opensAt };
  }
  return { open: false, opensAt: next?.opensAt, freeze: findFreeze(facts, now, next?.opensAt ?? Infinity) };
}

interface NextPeriods {
  readonly current: OpenPeriod | undefined;
  readonly next: OpenPeriod | undefined;
}

/** The period that is open, and the next one. Searches further only where the answer might be beyond. */
function findPeriods(facts: ScheduleFacts, now: number): NextPeriods {
  let found: NextPeriods = { current: undefined, next: undefined };
  for (const stepMs of stepsMs) {
    const periods = openPeriods({ ...facts, from: now - stepMs, to: now + stepMs });
    const current = periods.find(({ opensAt, closesAt }) => opensAt <= now && now < closesAt);
    const next = periods.find(({ opensAt }) => opensAt > now);
    found = { current, next };
    const isCut = current !== undefined && current.opensAt === now - stepMs;
    if (next !== undefined && !isCut) break;
  }
  return found;
}

/** The freeze that covers the first moment before `opensAt` at which a window would be open without freezes: of several, the last to end. */
function findFreeze(facts: ScheduleFacts, now: number, opensAt: number): string | undefined {
  const freezes = allFreezes(facts);
  if (freezes.length === 0) return undefined;
  const unfrozen: ScheduleFacts = { ...facts, schedule: { ...facts.schedule, freezes: [] }, freezes: [] };
  const { current, next } = findPeriods(unfrozen, now);
  const sooner = current === undefined ? next?.opensAt : now;
  if (sooner === undefined || sooner >= opensAt) return undefined;
  return freezes.filter(({ from, to }) => from <= sooner && sooner < to).toSorted((a, b) => b.to - a.to)[0]?.name;
}
