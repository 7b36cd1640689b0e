import { expect, test } from 'vitest';
import { count, formatDuration, formatTime, listNames } from '../../../core/text/format.ts';

test.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [59_400, '59 s'],
  [59_600, '1 m'],
  [90_000, '1 m 30 s'],
  [3_599_000, '59 m 59 s'],
  [3_600_000, '1 h'],
  [3_900_000, '1 h 5 m'],
])('%i ms is formatted as %s', (ms, text) => {
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
