/** Target groups that do not have every node as a target. */
import { expect, test } from 'vitest';
import { membershipOf } from '../../../core/model/target-group.ts';
import { aGroup } from '../support/facts.ts';
import { blockOf, factsOf, guardOf, nodes, type Scene } from '../support/scene.ts';

test('a group of which nothing is said has every node as a target', () => {
  expect(membershipOf(aGroup('web', nodes))).toBe('all-nodes');
});

test.each([
  ['is missed where every node is a target', 'all-nodes', 'best'],
  ['is not missed where some are drawn', 'subset', undefined],
] as const)('a node that is not Ready and no target %s', (_, membership, limit) => {
  const drawn: Scene = { traffic: 'Cluster', group: { membership }, states: { n4: 'absent' } };
  const changed = { n3: { excluded: true }, n4: { ready: false } };
  const now = factsOf({ ...drawn, changed, states: { n3: 'absent', n4: 'absent' } });
  expect(blockOf(guardOf(now, factsOf(drawn)), 'n4')?.limit).toBe(limit);
});
