import { describe, expect, test } from 'vitest';
import { diffPolicies } from '../../core/policy/diff-policies.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { parsePolicy } from '../../policy-file/parse.ts';
import { everyField } from '../policy-file/all-fields.ts';

function parse(text: string): Policy {
  const parsed = parsePolicy(text, 'policy.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

const all = parse(everyField);

describe('diffPolicies', () => {
  test('finds nothing in a policy that was stored as JSON', () => {
    expect(diffPolicies(JSON.parse(JSON.stringify(all)) as Policy, all)).toEqual([]);
  });

  test('finds nothing where only the order of the fields differs', () => {
    const { target, ...rest } = all;

    expect(diffPolicies(all, { target, ...rest })).toEqual([]);
  });

  test.each([
    ['propagation: 1m', 'propagation: 90s', { field: 'waits.propagationMs', from: '1m', to: '1m 30s' }],
    ['maxInFlight: 2', 'maxInFlight: 3', { field: 'guard.maxInFlight', from: '2', to: '3' }],
    ['default/api: 80%', 'default/api: 2', { field: 'guard.minServing."default/api"', from: '80%', to: '2' }],
    ['[default/old]', '[default/old, default/new]', { field: 'guard.acceptUnprotected[1]', to: 'default/new' }],
    ['keepEndpoints: [default/mesh]', 'keepEndpoints: []', { field: 'drain.keepEndpoints[0]', from: 'default/mesh' }],
    ['nodeSurge: 25%', 'nodeSurge: 3', { field: 'nodeSurge', from: '25%', to: '3' }],
  ])('says what changes from %s to %s', (from, to, difference) => {
    expect(everyField).toContain(from);

    expect(diffPolicies(all, parse(everyField.replace(from, to)))).toEqual([difference]);
  });
});
