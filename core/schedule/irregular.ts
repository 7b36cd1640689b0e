import { formatDuration } from '../text/format.ts';
import { formatLocal, formatTimeOfDay } from './describe-schedule.ts';
import { joinFreezes, subtractFrozen } from './freezes.ts';
import { horizonMs } from './schedule.ts';
import { type Slot, type SlotPeriod, slotPeriod, slotsAround } from './slots.ts';
import { allFreezes, type ScheduleFacts } from './windows.ts';
import { type LocalTime, wallClockMs } from './zone.ts';

/** The most windows that are described; the rest is counted. */
const maxDescribed = 10;

/**
 * Describes the windows of the next 400 days that a clock change moves, shortens, lengthens or removes, one sentence each, at most ten and
 * how many more there are. Windows that are frozen as a whole are left out.
 */
export function describeIrregularWindows(facts: ScheduleFacts & { readonly now: number }): readonly string[] {
  const { schedule, zone, now } = facts;
  const frozen = joinFreezes(allFreezes(facts));
  const to = now + horizonMs;
  const sentences = slotsAround(schedule, zone, now, to).flatMap((slot) => {
    const period = slotPeriod(zone, slot);
    if (period === undefined) return isWithin(slot, facts, now, to) ? [describeMissing(slot, schedule.timeZone)] : [];
    if (period.closesAt <= now || to <= period.opensAt || subtractFrozen(period, frozen).length === 0) return [];
    return describeIrregular(facts, slot, period) ?? [];
  });
  const all = [...new Set(sentences)];
  if (all.length <= maxDescribed) return all;
  return [...all.slice(0, maxDescribed), `and ${all.length - maxDescribed} more`];
}

/** Whether a slot without a real time is on a day between two instants. */
function isWithin({ start, end }: Slot, { zone }: ScheduleFacts, now: number, to: number): boolean {
  return wallClockMs(zone.toLocal(now)) < wallClockMs(end) && wallClockMs(start) < wallClockMs(zone.toLocal(to));
}

function describeMissing({ start, end }: Slot, timeZone: string): string {
  return `${formatLocal(start)} to ${formatTimeOfDay(end)} does not exist in ${timeZone}: the window does not open that day`;
}

/** Undefined for a slot that is as its rule says. */
function describeIrregular(
  { schedule: { timeZone }, zone }: ScheduleFacts,
  { start, end }: Slot,
  { opensAt, closesAt }: SlotPeriod,
): string | undefined {
  const [starts, ends] = [zone.toInstants(start), zone.toInstants(end)];
  const opening = `the window opens at ${formatChanged(start, zone.toLocal(opensAt))}`;
  if (starts.length === 0) return `${formatLocal(start)} does not exist in ${timeZone}: ${opening}`;
  const closing = `the window closes at ${formatChanged(end, zone.toLocal(closesAt))}`;
  if (ends.length === 0) return `${formatLocal(end)} does not exist in ${timeZone}: ${closing}`;
  if (starts.length > 1) return `${formatLocal(start)} occurs twice in ${timeZone}: the window opens the second time`;
  const which = closesAt === ends[0] ? 'first' : 'second';
  if (ends.length > 1) return `${formatLocal(end)} occurs twice in ${timeZone}: the window closes the ${which} time`;
  const [regular, real] = [wallClockMs(end) - wallClockMs(start), closesAt - opensAt];
  if (regular === real) return undefined;
  const lasts = `the window that opens then lasts ${formatDuration(real)} instead of ${formatDuration(regular)}`;
  return `${formatLocal(start)} in ${timeZone}: ${lasts}, because the clock changes`;
}

/** The time after a clock change, with its date if the clock skips to another day. */
function formatChanged(skipped: LocalTime, changed: LocalTime): string {
  return skipped.day === changed.day ? `${formatTimeOfDay(changed)} that day` : formatLocal(changed);
}
