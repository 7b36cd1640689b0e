/** Building blocks for the fields of a written policy. */
import { z } from 'zod';
import { durationPattern, parseDuration, sharePattern } from '../core/policy/durations.ts';
import { carriesPassword, isLinkLocal } from '../core/policy/probe-address.ts';

/** A string that matches a pattern. Every error text of the schema states what is allowed; parse.ts adds what was found and where. */
export const text = (allowed: string, pattern: RegExp, maxLength: number) =>
  z.string({ error: allowed }).regex(pattern, { error: allowed }).max(maxLength, { error: allowed });

/** A name that is shown in terminals, reports and the web UI. It has no control characters, and no space at either end. */
export const name = (description: string, maxLength: number) =>
  text(
    `1 to ${maxLength} printable characters, with no space at either end`,
    /^[^\p{Cc}\p{Cf}\p{Z}](?:[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*[^\p{Cc}\p{Cf}\p{Z}])?$/u,
    maxLength,
  ).meta({ description });

/** A value that only the cloud understands. It is passed on unchanged. */
export const word = (allowed: string, description: string, maxLength: number) =>
  text(allowed, /^[!-~]+$/, maxLength).meta({ description });

/** A longer wait is probably a typing mistake: nobody watches a run that waits for a month. */
const maxDurationMs = 30 * 86_400_000;

/** A duration with its unit, at least `minMs` (ms). */
export const duration = (description: string, minMs = 0) =>
  text('a duration with units, such as 300ms, 15s, 5m or 1h30m', durationPattern, 64)
    .refine((written) => (parseDuration(written) ?? 0) <= maxDurationMs, { error: 'a duration of at most 30d' })
    .refine((written) => (parseDuration(written) ?? minMs) >= minMs, {
      error: `a duration of at least ${minMs}ms`,
    })
    .meta({ description });

/** A duration with a default. The default is appended to the description. */
export const wait = (description: string, fallback: string, minMs = 0) =>
  duration(`${description} Default ${fallback}.`, minMs).default(fallback);

/** A deadline. It is at least one second, because one that passes at once would stall every run. */
export const deadline = (description: string, fallback: string) => wait(description, fallback, 1000);

/** A share in percent. `allowed` names the range in the error text. */
export const share = (allowed: string) => text(allowed, sharePattern, 16);

/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number, error = `a whole number from ${min} to ${max}`) =>
  z.int({ error }).min(min, { error }).max(max, { error });

/** A boolean that is false by default. */
export const flag = (description: string) =>
  z
    .boolean({ error: 'true or false' })
    .default(false)
    .meta({ description: `${description} Default false.` });

/** One of these words. */
export const oneOf = <const T extends readonly string[]>(values: T, allowed = `one of ${values.join(', ')}`) =>
  z.enum(values, { error: allowed });

/** One of these words, with a default. The default is appended to the description. */
export const choice = <const T extends readonly string[]>(values: T, description: string, fallback: T[number]) =>
  oneOf(values)
    .default(fallback)
    .meta({ description: `${description} Default ${fallback}.` });

/** An object in the cluster, as namespace/name. */
export const objectKey = (what: string) => text(`a ${what} as namespace/name`, /^[a-z0-9.-]+\/[a-z0-9.-]+$/, 317);

/** An address that the worker sends requests to. `instead` says what to do where a password seems to be needed. */
export const plainUrl = (instead: string) =>
  z
    .url({ protocol: /^https?$/, error: 'an http or https address' })
    .max(2048, { error: 'an http or https address of at most 2048 characters' })
    .refine((address) => !carriesPassword(address), {
      error: `an address without user name and password, because the history of the run would record them; ${instead}`,
    })
    .refine((address) => !isLinkLocal(address), {
      error: 'an address that is neither link-local nor that of an instance metadata service',
    });
