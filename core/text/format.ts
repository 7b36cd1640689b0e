/** Formats milliseconds with at most two units, as a policy does: `450ms`, `12s`, `4m 30s`, `1h 5m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return join(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  return join(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
}

/** The same for durations that may take days: `3d 4h`. Below a day as `formatDuration`. */
export function formatLongDuration(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  return hours < 24 ? formatDuration(ms) : join(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function join(high: number, highUnit: string, low: number, lowUnit: string): string {
  return low === 0 ? `${high}${highUnit}` : `${high}${highUnit} ${low}${lowUnit}`;
}

/** Formats epoch ms as a UTC time of day, `14:03:09`. */
export function formatTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Formats epoch ms as a UTC date and time without the year: `Jan 2 03:04`. */
export function formatDateTime(at: number): string {
  const date = new Date(at);
  return `${months[date.getUTCMonth()]} ${date.getUTCDate()} ${date.toISOString().slice(11, 16)}`;
}

/** Formats epoch ms for somebody who reads it at `now`: the time of day, with the date when it is a day away or more. UTC. */
export function formatMoment(at: number, now: number): string {
  return Math.abs(at - now) < 86_400_000 ? formatTime(at) : formatDateTime(at);
}

/** Joins names for a sentence, and shortens a long list: `a, b, c and 4 more`. */
export function listNames(names: readonly string[], max = 3): string {
  if (names.length <= max) return names.join(', ');
  return `${names.slice(0, max).join(', ')} and ${names.length - max} more`;
}

/** Formats a size: `1.5 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Formats a number with its noun. The noun gets an `s` unless the number is one. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** Compares by code unit, so that the order does not depend on the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
