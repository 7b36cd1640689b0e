import { expect, test } from 'vitest';
import { extend, isStable } from '../../../core/guard/stable-since.ts';

test('a node keeps the time of the first observation that found that it may leave', () => {
  const first = extend({}, ['n1'], 100);
  expect(first).toEqual({ n1: 100 });
  expect(extend(first, ['n1', 'n2'], 200)).toEqual({ n1: 100, n2: 200 });
});

test('an observation that finds that it may not resets its time', () => {
  expect(extend({ n1: 100, n2: 100 }, ['n2'], 200)).toEqual({ n2: 100 });
  expect(extend({ n2: 100 }, ['n1', 'n2'], 300)).toEqual({ n1: 300, n2: 100 });
});

test.each([
  ['once observations have agreed for the stabilization time', { n1: 100 }, 600, true],
  ['not before', { n1: 100 }, 599, false],
  ['not when no observation has found that it may leave', { n2: 100 }, 600, false],
])('a node is stable %s', (_, stableSince, now, settled) => {
  expect(isStable(stableSince, 'n1', now, 500)).toBe(settled);
});

test('one observation is never enough, however short the stabilization', () => {
  expect(isStable({ n1: 100 }, 'n1', 100, 0)).toBe(false);
  expect(isStable({ n1: 100 }, 'n1', 101, 0)).toBe(true);
});
