import { describe, expect, test } from 'vitest';
import { learnBaselines } from '../../../core/guard/baseline.ts';
import { decidePlaces } from '../../../core/pod-surge/misplaced.ts';
import {
  aGroup,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aService,
  aTarget,
  aWorkload,
  nodeRefOf,
  released,
  withPodSurge,
} from '../support/facts.ts';
import type { PodFacts, Policy } from '../support/model.ts';

const olds = [aNode('a1', { cordoned: true }), aNode('b1', { zone: 'b', cordoned: true })];
const news = ['a2', 'b2', 'b3', 'c2'].map((name) => aNode(name, { zone: name.slice(0, 1), pool: 'web-new' }));
const nodes = [...olds, ...news];

/** A released pod of a ReplicaSet that wants two. */
function gone(name: string, node: string, changes: Partial<PodFacts> = {}): PodFacts {
  const { workload: _none, ...pod } = { ...aPod(name, node), ...released(name, 'run') };
  return { ...pod, ...(pod.released === undefined ? {} : { released: { ...pod.released, wants: 2 } }), ...changes };
}

const old = [gone('web-1', 'a1'), gone('web-2', 'b1')];
const policyOf = (changes: Partial<Policy> = {}) => aPolicy({ ...withPodSurge(), ...changes });

/** What is decided when these are the pods, and nodes with a ready one are healthy but for those that are `late`. */
function decide(
  pods: readonly PodFacts[],
  changes: { policy?: Policy; moves?: number; late?: readonly string[] } = {},
) {
  const all = [...old, ...pods];
  const observation = (present: readonly PodFacts[], late: readonly string[] = []) => {
    const hosts = new Set(present.filter(({ ready }) => ready).map(({ node }) => node));
    const targets = nodes.map((node) =>
      aTarget(node, { state: hosts.has(node.name) && !late.includes(node.name) ? 'healthy' : 'unhealthy' }),
    );
    const cluster = {
      nodes,
      pods: present,
      services: [aService('web', present)],
      workloads: [aWorkload('web', 2, { surge: 1 })],
    };
    return anObservation(cluster, [aGroup('web', nodes, { crossZone: false, targets })]);
  };
  const { policy = policyOf(), moves = 0 } = changes;
  return decidePlaces({
    facts: observation(all, changes.late),
    policy,
    baselines: learnBaselines([], observation(old), policy),
    sharedVolumeClaims: new Set(),
    run: 'run',
    batch: olds.map(nodeRefOf),
    evictedInstead: [],
    leaving: new Set(olds.map(({ uid }) => uid)),
    moves: { 'Deployment default/web': moves },
    now: 0,
    removedAt: {},
    unreadySince: {},
    drainedAt: {},
  });
}

const startsAt = (name: string, node: string | undefined) => aPod(name, node, { ready: false, phase: 'Pending' });

describe('the replacements of a batch', () => {
  test('are well placed once each zone has a serving target without the batch', () => {
    expect(decide([aPod('web-3', 'a2'), aPod('web-4', 'b2')])).toEqual({ awaited: [], moves: [], actions: [] });
  });

  test.each([
    ['have no node yet', [startsAt('web-3', 'b2')], 'its replacement has no node yet'],
    [
      'come up where they should',
      [startsAt('web-3', 'b2'), startsAt('web-4', 'a2')],
      'pod web-4 does not serve there yet',
    ],
  ])('are waited for while they %s', (_, pods, why) => {
    const { awaited, moves } = decide(pods);
    expect(awaited[0]?.reason).toBe(`a would have no serving target of default/web left: ${why}`);
    expect(moves).toEqual([]);
  });

  test('start again before they serve, where a zone got one too many', () => {
    const { awaited, moves } = decide([startsAt('web-3', 'b2'), startsAt('web-4', 'b2')]);
    expect(moves).toMatchObject([{ kind: 'evict', pod: { name: 'web-3' } }]);
    expect(awaited).toMatchObject([{ workload: 'Deployment default/web', isHopeless: false }]);
  });

  test('start again where one came to a zone that needs none', () => {
    const { moves } = decide([startsAt('web-3', 'b2'), startsAt('web-4', 'c2')]);
    expect(moves).toMatchObject([{ kind: 'evict', pod: { name: 'web-4' } }]);
  });

  test('are released once they are ready, and then leave as released pods do', () => {
    const both = [aPod('web-3', 'b2'), aPod('web-4', 'b2')];
    expect(decide(both).moves).toMatchObject([{ kind: 'release', pod: { name: 'web-3' } }]);
    const withKeptEndpoints = policyOf({ drain: { ...aPolicy().drain, keepEndpoints: ['default/web'] } });
    expect(decide(both, { policy: withKeptEndpoints }).moves).toEqual([]);
  });

  test('are hopeless after ten attempts, or when each is the only target on its node', () => {
    const often = decide([startsAt('web-3', 'b2'), startsAt('web-4', 'b2')], { moves: 10 });
    expect(often).toMatchObject({ moves: [], awaited: [{ isHopeless: true }] });
    const apart = [aPod('web-3', 'b2'), aPod('web-4', 'b3')];
    expect(decide(apart)).toMatchObject({ moves: [], awaited: [{ isHopeless: true }] });
    expect(decide(apart, { late: ['b3'] }).moves).toMatchObject([{ kind: 'release', pod: { name: 'web-4' } }]);
  });

  test('leave as others do after a move, and are waited for', () => {
    const moved = gone('web-3', 'b2');
    const { actions, awaited } = decide([moved, aPod('web-4', 'b2'), startsAt('web-5', 'a2')]);
    expect(actions).toMatchObject([{ kind: 'remove-endpoints', pod: { name: 'web-3' } }]);
    expect(awaited).toMatchObject([{ reason: 'pod web-3 was moved and has not left yet' }]);
  });

  test.each(['capacity-guard', 'wait-for-replacements'] as const)('may be anywhere without %s', (rule) => {
    const policy = policyOf({ disabledRules: [rule] });
    expect(decide([startsAt('web-3', 'b2'), startsAt('web-4', 'b2')], { policy }).awaited).toEqual([]);
  });
});
