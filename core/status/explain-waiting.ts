import { formatLongDuration, formatMoment, formatTime } from '../text/format.ts';
import type { Waiting } from './status.ts';

/** Says since when (epoch ms) something waits: for how long when `now` is given, otherwise the time of day. */
export function explainSince(since: number, now: number | undefined): string {
  return now === undefined ? formatTime(since) : formatLongDuration(now - since);
}

/** Says how much longer something waits. All times are UTC. */
export function explainDeadline(until: number | undefined, now: number | undefined): string {
  if (until === undefined) return '';
  if (now === undefined) return formatTime(until);
  return until > now ? `in ${formatLongDuration(until - now)} (${formatMoment(until, now)})` : 'passed';
}

/** Says in one sentence what is waited for, since when, until when, and what would unblock it. */
export function explainWaiting({ for: on, since, until, action, remedy }: Waiting, now: number | undefined): string {
  const deadline = explainDeadline(until, now);
  return [
    `${on}, ${now === undefined ? 'since' : 'for'} ${explainSince(since, now)}`,
    ...(deadline === '' ? [] : [`deadline ${deadline}`]),
    ...(action === undefined ? [] : [`action: ${action}`]),
    ...(remedy === undefined ? [] : [`this does not end by itself: ${remedy}`]),
  ].join('; ');
}
