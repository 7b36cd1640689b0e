/** Target groups that do not have every node as a target. */
import { describe, expect, test } from 'vitest';
import { learnBaselines } from '../../../core/guard/baseline.ts';
import { membershipOf } from '../../../core/model/target-group.ts';
import { aGroup, aPolicy, withMinServing } from '../support/facts.ts';
import { blockOf, factsOf, guardOf, learned, nodes, planFor, type Scene } from '../support/scene.ts';

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

describe('a plan counts on new nodes as targets', () => {
  const rules = (scene: Scene) =>
    planFor(factsOf({ traffic: 'Cluster', ...scene }), withMinServing(3)).findings.map(({ rule }) => rule);

  test.each([
    ['where every node is one', 'all-nodes', {}, false],
    ['where those that are drawn are all that there are', 'subset', {}, false],
    ['but not where others are left out', 'subset', { n4: 'absent' }, true],
  ] as const)('%s', (_, membership, states, isRefused) => {
    const found = rules({ group: { membership }, states });
    expect(found.includes('GRD-001')).toBe(isRefused);
  });
});

describe('nodes that are included again and still drain', () => {
  const returning: Scene = { group: { returnsAfterDrain: true }, states: { n3: 'draining', n4: 'draining' } };

  test('do not serve until they are registered and healthy', () => {
    const [first] = learned(factsOf(returning));
    expect(first).toMatchObject({ targets: 2, endpoints: 2 });
    expect(guardOf(factsOf(returning), factsOf()).services.map(({ targets }) => targets)).toEqual([2]);
  });

  test('are not where load balancers send nothing, unless they never come back', () => {
    expect(learned(factsOf(returning))[0]?.unreached).toBeUndefined();
    expect(learned(factsOf({ ...returning, group: {} }))[0]?.unreached).toEqual({ 'web/b': 2 });
    const excluded = { n3: { excluded: true }, n4: { excluded: true } };
    expect(learned(factsOf({ ...returning, changed: excluded }))[0]?.unreached).toBeUndefined();
  });

  test('do not come back where only the exclude label counts and its value says no', () => {
    const denying = { n3: { deniesExclusion: true }, n4: { deniesExclusion: true } };
    const group = { returnsAfterDrain: true, ignoresLabelValue: true };
    expect(learned(factsOf({ ...returning, changed: denying }))[0]?.unreached).toBeUndefined();
    expect(learned(factsOf({ ...returning, group, changed: denying }))[0]?.unreached).toEqual({ 'web/b': 2 });
  });

  test('are where load balancers send something, as soon as that is seen', () => {
    const unused: Scene = { states: { n3: 'unused', n4: 'unused' } };
    const before = learned(factsOf(unused));
    expect(before[0]?.unreached).toEqual({ 'web/b': 2 });
    expect(learnBaselines(before, factsOf(returning), aPolicy())[0]?.unreached).toBeUndefined();
  });

  test('count in the plan, which asks whether a run could end', () => {
    const rules = (scene: Scene) => planFor(factsOf(scene), withMinServing(3)).findings.map(({ rule }) => rule);
    expect(rules({ group: { returnsAfterDrain: true }, states: { n4: 'draining' } })).not.toContain('GRD-001');
    expect(rules({ states: { n4: 'draining' } })).toContain('GRD-001');
  });
});
