import { expect, test } from 'vitest';
import { parseDuration, parseShare } from '../../core/policy/durations.ts';

test.each([
  ['300ms', 300],
  ['15s', 15_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1d', 86_400_000],
  ['1.5s', 1500],
  ['0s', 0],
])('duration %s is %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '15', 'm', '15 m', '-5s', '5x', '5s!', '1h 30m'])('%j is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test.each([
  ['75%', 0.75],
  ['100%', 1],
  ['0%', 0],
  ['12.5%', 0.125],
])('share %s is %d', (text, share) => {
  expect(parseShare(text)).toBe(share);
});

test.each(['', '75', '101%', '-1%', '100.5%', '0.75'])('%j is not a share', (text) => {
  expect(parseShare(text)).toBeUndefined();
});
