/** Writes a duration (ms) the way people say it: `850ms`, `12s`, `4m 5s`, `1h 12m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes}m ${seconds % 60}s` : `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 ? `${hours}h ${minutes % 60}m` : `${hours}h`;
}

/** Writes a moment (epoch ms) as UTC wall-clock time, `14:32:07`. */
export function formatTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}
