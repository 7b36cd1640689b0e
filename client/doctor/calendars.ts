import type { Policy } from '../../core/policy/policy.ts';
import { count } from '../../core/text/format.ts';
import { readOpenings } from '../schedule/read-openings.ts';
import { isScheduled } from '../schedule/scheduled-policy.ts';
import type { Check } from './check.ts';
import { patienceMs, withTimeLimit } from './time-limit.ts';

const id = 'policy.calendars';

/** Checks that this computer can read the calendars whose events are freezes. Nothing is told of a policy without any. */
export async function checkCalendars(policy: Policy, now: number): Promise<readonly Check[]> {
  if (!isScheduled(policy) || policy.schedule.calendars.length === 0) return [];
  return await withTimeLimit('The calendars', patienceMs, async (limit) =>
    limit.check(id, async () => {
      const { unreadCalendars } = await readOpenings(policy, now);
      if (unreadCalendars.length > 0) return unreadCalendars.map(reportUnread);
      return [{ id, state: 'ok', found: `${count(policy.schedule.calendars.length, 'calendar')} can be read` }];
    }),
  );
}

/** It is a warning: what counts is what the workers reach. */
function reportUnread({ calendar, reason }: { readonly calendar: string; readonly reason: string }): Check {
  return {
    id,
    state: 'warning',
    found: `the calendar ${calendar} cannot be read here: ${reason}`,
    fix: 'While a worker cannot read it either, no window is open. Correct its address in spec.schedule.calendars, or its text.',
  };
}
