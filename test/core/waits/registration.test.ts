import { expect, test } from 'vitest';
import { takesNode } from '../../../core/waits/registration.ts';
import { aGroup, aNode, aTarget } from '../support/facts.ts';
import type { TargetState } from '../support/model.ts';

const fresh = aNode('new', { pool: 'new' });
const near = aNode('near');
const far = aNode('far', { zone: 'b' });

function takes(states: readonly (readonly [typeof near, TargetState])[], peers = [near, far], zones = ['a', 'b']) {
  const targets = states.map(([node, state]) => aTarget(node, { state }));
  return takesNode(fresh, aGroup('web', [], { targets, zones }), peers);
}

test('a target group is expected to register a node if it has those in its zone', () => {
  expect(takes([[near, 'unhealthy']])).toBe(true);
  expect(takes([[far, 'healthy']])).toBe(false);
  expect(
    takes([
      [near, 'unused'],
      [far, 'healthy'],
    ]),
  ).toBe(false);
});

test('without nodes in its zone, if it has the others and covers the zone', () => {
  expect(takes([[far, 'healthy']], [far])).toBe(true);
  expect(takes([], [far])).toBe(false);
  expect(takes([[far, 'healthy']], [far], ['b'])).toBe(false);
});

test('without any similar node it is expected; excluded nodes do not count', () => {
  expect(takes([], [])).toBe(true);
  expect(takes([], [aNode('near', { excluded: true })])).toBe(true);
});
