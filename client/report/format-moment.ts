/** Formats epoch ms as a date and a UTC time of day, `2026-01-02 03:04:05`. */
export function formatMoment(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
