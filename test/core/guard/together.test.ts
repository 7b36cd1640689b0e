import { expect, test } from 'vitest';
import type { CandidateQuestion } from '../../../core/guard/select-candidate.ts';
import { chooseTogether } from '../../../core/guard/together.ts';
import { aNode, aPolicy, nodeRefOf, withMinServing } from '../support/facts.ts';
import { factsOf, learned, nodes } from '../support/scene.ts';

const facts = factsOf();

/** Names of four nodes, of which a number must keep serving. */
function choose(minServing: number, changes: Partial<CandidateQuestion> = {}, atMost = 10, maxInFlight = 10) {
  const policy = aPolicy(withMinServing(minServing, { maxInFlight }));
  const baselines = learned(facts, policy);
  const waiting = nodes.map(nodeRefOf);
  const question = { facts, policy, baselines, inFlight: [], waiting, stableSince: {}, ...changes };
  return [...chooseTogether(question, atMost)].map(({ name }) => name);
}

test.each([
  [1, ['n1', 'n2', 'n3']],
  [3, ['n1']],
  [4, []],
])('as many may be excluded together as a minimum of %d allows', (minServing, names) => {
  expect(choose(minServing)).toEqual(names);
});

test('those on which observations have agreed for longer come first', () => {
  expect(choose(2, { stableSince: { n3: 5, n4: 10 } })).toEqual(['n3', 'n4']);
});

test('no more than requested, or than may be in flight; but at least one, for when a node is finished', () => {
  expect(choose(0, {}, 2)).toEqual(['n1', 'n2']);
  expect(choose(0, {}, 10, 3)).toEqual(['n1', 'n2', 'n3']);
  expect(choose(0, { inFlight: [nodeRefOf(aNode('n1'))] }, 10, 1)).toEqual(['n2']);
});

test('without the guard any node may be excluded', () => {
  const policy = aPolicy({ disabledRules: ['capacity-guard'] });
  expect(choose(4, { policy })).toEqual(['n1', 'n2', 'n3', 'n4']);
});
