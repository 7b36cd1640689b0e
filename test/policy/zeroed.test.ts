import { expect, test } from 'vitest';
import { findSwitchedOff, listUnprotected } from '../../core/policy/zeroed.ts';
import { aPolicy } from '../core/support/facts.ts';

const { waits, guard } = aPolicy();

test('a policy of defaults does without nothing', () => {
  expect(findSwitchedOff(aPolicy())).toEqual([]);
});

test.each([
  ['a margin of 0s', { waits: { ...waits, marginMs: 0 } }, 'waits.margin: 0s'],
  ['a propagation of 0s', { waits: { ...waits, propagationMs: 0 } }, 'waits.propagation: 0s'],
  ['looks that need not agree', { waits: { ...waits, stabilizationMs: 0 } }, 'waits.stabilization: 0s'],
  ['a default floor of nothing', { guard: { ...guard, defaultMinServing: 0 } }, 'guard.defaultMinServing: 0%'],
  ['a floor of no targets', { guard: { ...guard, minServing: { 'a/b': { targets: 0 } } } }, 'guard.minServing.a/b: 0'],
  [
    'a floor of a share of nothing',
    { guard: { ...guard, minServing: { 'a/b': { share: 0 } } } },
    'guard.minServing.a/b: 0',
  ],
])('%s is told', (_, changes, told) => {
  expect(findSwitchedOff(aPolicy(changes))).toEqual([told]);
});

test('rules that are switched off come first', () => {
  const policy = aPolicy({ disabledRules: ['capacity-guard'], waits: { ...waits, marginMs: 0 } });
  expect(listUnprotected(policy)).toEqual(['capacity-guard', 'waits.margin: 0s']);
});
