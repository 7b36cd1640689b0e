/** The fields that the written form of a policy is made of. */
import { z } from 'zod';
import { durationPattern, parseDuration, sharePattern } from './durations.ts';

/** A text of a form. Every error text of the schema says what is allowed; parse.ts says what was found and where. */
export const text = (allowed: string, pattern: RegExp, longest: number) =>
  z.string({ error: allowed }).regex(pattern, { error: allowed }).max(longest, { error: allowed });

/** Readers see it in terminals, reports and the web UI: no control characters, no space at its ends. */
export const name = (description: string, longest: number) =>
  text(
    `a text of 1 to ${longest} printable characters`,
    /^[^\p{Cc}\p{Cf}\p{Z}](?:[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*[^\p{Cc}\p{Cf}\p{Z}])?$/u,
    longest,
  ).meta({ description });

/** A word in the cloud's own language, handed to it as it is. */
export const word = (allowed: string, description: string, longest: number) =>
  text(allowed, /^[!-~]+$/, longest).meta({ description });

/** Longer waits are slips of the pen: a run that waits for a month is not watched by anybody. */
const maxDurationMs = 30 * 86_400_000;

/** A duration with its unit, at least `leastMs` (ms). */
export const duration = (description: string, leastMs = 0) =>
  text('a duration with units, such as 300ms, 15s, 5m or 1h30m', durationPattern, 64)
    .refine((written) => (parseDuration(written) ?? 0) <= maxDurationMs, { error: 'a duration of at most 30d' })
    .refine((written) => (parseDuration(written) ?? leastMs) >= leastMs, {
      error: `a duration of at least ${leastMs}ms`,
    })
    .meta({ description });

/** A duration that has a default, which its description tells. */
export const wait = (description: string, fallback: string, leastMs = 0) =>
  duration(`${description} Default ${fallback}.`, leastMs).default(fallback);

/** A wait that ends the run's patience: one that is over at once would stop every run. */
export const deadline = (description: string, fallback: string) => wait(description, fallback, 1000);

/** A share in percent; `allowed` says which. */
export const share = (allowed: string) => text(allowed, sharePattern, 16);

/** A whole number within bounds. */
export const whole = (least: number, most: number, error = `a whole number from ${least} to ${most}`) =>
  z.int({ error }).min(least, { error }).max(most, { error });

/** Yes or no; no unless it is said. */
export const flag = (description: string) =>
  z
    .boolean({ error: 'true or false' })
    .default(false)
    .meta({ description: `${description} Default false.` });

/** One of these words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `one of ${values.join(', ')}` });

/** One of these words, with a default, which its description tells. */
export const choice = <const T extends readonly [string, ...string[]]>(
  values: T,
  description: string,
  fallback: T[number],
) =>
  oneOf(values)
    .default(fallback)
    .meta({ description: `${description} Default ${fallback}.` });

/** An object of the cluster as namespace/name. */
export const objectKey = (what: string) => text(`a ${what} as namespace/name`, /^[a-z0-9.-]+\/[a-z0-9.-]+$/, 317);
