const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What a written duration looks like: numbers with units, largest first or not, e.g. `15m`, `300ms`, `1h30m`. */
export const durationPattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/** Milliseconds of a written duration; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (units[unit ?? ''] ?? 0);
  }
  return Math.round(total);
}

/** What a written share looks like: `75%`, at most `100%`. */
export const sharePattern = /^(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%$/;

/** Share 0-1 of a written percentage; undefined when it is none or more than all. */
export function parseShare(text: string): number | undefined {
  return sharePattern.test(text) ? Number(text.slice(0, -1)) / 100 : undefined;
}
