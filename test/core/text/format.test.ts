import { expect, test } from 'vitest';
import { count, formatDuration, formatTime, listNames } from '../../../core/text/format.ts';

test.each([
  [0, '0ms'],
  [-5, '0ms'],
  [999, '999ms'],
  [1000, '1s'],
  [59_400, '59s'],
  [59_600, '1m'],
  [90_000, '1m 30s'],
  [3_599_000, '59m 59s'],
  [3_600_000, '1h'],
  [3_900_000, '1h 5m'],
])('%i ms is written %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('a time is formatted as UTC time of day', () => {
  expect(formatTime(Date.UTC(2026, 0, 5, 14, 3, 9))).toBe('14:03:09');
});

test('a long list of names is shortened', () => {
  expect(listNames(['a', 'b', 'c'])).toBe('a, b, c');
  expect(listNames(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
});

test('a noun is singular only for one', () => {
  expect([count(1, 'node'), count(2, 'node'), count(0, 'node')]).toEqual(['1 node', '2 nodes', '0 nodes']);
});
