import { expect, test } from 'vitest';
import { findSwitchedOff, listUnprotected } from '../../core/policy/zeroed.ts';
import { aPolicy } from '../core/support/facts.ts';

const { waits, guard } = aPolicy();

test('the default policy switches nothing off', () => {
  expect(findSwitchedOff(aPolicy())).toEqual([]);
});

test.each([
  ['a margin of 0s', { waits: { ...waits, marginMs: 0 } }, 'waits.margin: 0s'],
  ['a propagation of 0s', { waits: { ...waits, propagationMs: 0 } }, 'waits.propagation: 0s'],
  ['a stabilization of 0s', { waits: { ...waits, stabilizationMs: 0 } }, 'waits.stabilization: 0s'],
  ['a default minimum of 0%', { guard: { ...guard, defaultMinServing: 0 } }, 'guard.defaultMinServing: 0%'],
  [
    'a minimum of no targets',
    { guard: { ...guard, minServing: { 'a/b': { targets: 0 } } } },
    'guard.minServing.a/b: 0',
  ],
  ['a minimum of 0%', { guard: { ...guard, minServing: { 'a/b': { share: 0 } } } }, 'guard.minServing.a/b: 0'],
])('%s is listed', (_, changes, expected) => {
  expect(findSwitchedOff(aPolicy(changes))).toEqual([expected]);
});

test('rules that are off come first', () => {
  const policy = aPolicy({ disabledRules: ['capacity-guard'], waits: { ...waits, marginMs: 0 } });
  expect(listUnprotected(policy)).toEqual(['capacity-guard', 'waits.margin: 0s']);
});
