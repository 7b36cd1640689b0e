const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The written form of a duration: numbers with units in any order, e.g. `15m`, `300ms`, `1h30m`. */
export const durationPattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/** Converts a written duration to milliseconds. Undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (units[unit ?? ''] ?? 0);
  }
  return Math.round(total);
}

/** The written form of a share: a percentage such as `75%`, at most `100%`. */
export const sharePattern = /^(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%$/;

/** Converts a written percentage to a share from 0 to 1. Undefined when the text is not a percentage, or is above 100%. */
export function parseShare(text: string): number | undefined {
  return sharePattern.test(text) ? Number(text.slice(0, -1)) / 100 : undefined;
}
