/** Distances between two ticks, minutes. */
const distances = [0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1_440, 2_880, 10_080] as const;

const maxTicks = 12;

/** Minutes at which an axis of this length, ms, has its ticks: round numbers, from zero, at most a dozen. */
export function minuteTicks(lengthMs: number): readonly number[] {
  const minutes = lengthMs / 60_000;
  const distance = distances.find((one) => minutes / one < maxTicks) ?? minutes / (maxTicks - 1);
  return Array.from({ length: Math.floor(minutes / distance) + 1 }, (_, index) => index * distance);
}

/** Minutes with at most two digits after the point. */
export function formatMinutes(minutes: number): string {
  return String(Math.round(minutes * 100) / 100);
}
