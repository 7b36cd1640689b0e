import { describe, expect, test } from 'vitest';
import type { SpreadFacts } from '../../../core/model/pod.ts';
import { decideEligibility } from '../../../core/pod-surge/eligibility.ts';
import { selectBatch } from '../../../core/pod-surge/select-batch.ts';
import { selectReleases } from '../../../core/pod-surge/select-releases.ts';
import { countReleased } from '../../../core/pod-surge/surge-limit.ts';
import type { PodSurgeLimit } from '../../../core/policy/policy.ts';
import { aCluster, aNode, aPod, aPolicy, aWorkload, nodeRefOf, released, withPodSurge } from '../support/facts.ts';
import type { NodeFacts, PodFacts } from '../support/model.ts';

const byZone: SpreadFacts = {
  topologyKey: 'topology.kubernetes.io/zone',
  maxSkew: 1,
  isRequired: true,
  countsReleased: true,
  countsCordoned: true,
};

/** One node for each letter, in the zone of that name. */
const nodesIn = (zones: string): readonly NodeFacts[] =>
  zones.split('').map((zone, index) => aNode(`${zone}${index + 1}`, { zone }));

function podsOn(nodes: readonly NodeFacts[], changes: Partial<PodFacts> = {}): readonly PodFacts[] {
  return nodes.map(({ name }, index) =>
    aPod(`web-${index + 1}`, name, { ownerUid: 'rs', spreads: [byZone], ...changes }),
  );
}

function contextOf(nodes: readonly NodeFacts[], pods: readonly PodFacts[], surplus: PodSurgeLimit) {
  const workloads = [aWorkload('web', pods.length, { surge: 1 })];
  return {
    cluster: aCluster({ nodes, pods, workloads }),
    policy: aPolicy(withPodSurge(surplus)),
    sharedVolumeClaims: new Set<string>(),
  };
}

/** Nodes of the pods that are released, when those of all these are to go. */
function release(
  zones: string,
  surplus: PodSurgeLimit,
  going = nodesIn(zones).map(({ name }) => name),
  pods = podsOn(nodesIn(zones)),
) {
  const context = contextOf(nodesIn(zones), pods, surplus);
  const candidates = pods.filter(({ node = '' }) => going.includes(node));
  return selectReleases(candidates, context, countReleased(context.cluster), 0).release.map(({ pod }) => pod.node);
}

describe('pods whose spread over zones counts released pods', () => {
  test.each<[string, PodSurgeLimit, readonly string[]]>([
    ['abc', 1, ['a1', 'b2', 'c3']],
    ['aabc', 1, ['a1', 'a2', 'b3', 'c4']],
    ['aabbcc', 0.5, ['a1', 'b3', 'c5']],
    ['aabbcc', 5 / 6, ['a1', 'b3', 'c5']],
    ['aabb', 0.25, []],
    ['aaa', 1 / 3, ['a1']],
  ])('%s with limit %d are released evenly or all at once', (zones, surplus, nodes) => {
    expect(release(zones, surplus)).toEqual(nodes);
  });

  test('are released in no zone while no other zone has one to release', () => {
    expect(release('abc', 2 / 3, ['a1', 'b2'])).toEqual([]);
    expect(release('aabb', 1, ['a1', 'a2', 'b3'])).toEqual(['a1', 'b3']);
  });

  test('continue after an interrupted round', () => {
    const [first, ...others] = podsOn(nodesIn('aabb'));
    const half = [{ ...first, ...released('web-1', 'run') } as PodFacts, ...others];
    expect(release('aabb', 0.5, undefined, half)).toEqual(['b3']);
  });

  test.each([
    ['that asks for the label that tells ReplicaSets apart', { ...byZone, countsReleased: false }],
    ['over hosts', { ...byZone, topologyKey: 'kubernetes.io/hostname' }],
  ])('are not limited by a constraint %s', (_, spread) => {
    expect(release('abc', 1 / 3, undefined, podsOn(nodesIn('abc'), { spreads: [spread] }))).toEqual(['a1']);
  });

  test('cannot be surged when the limit is below the number of zones', () => {
    const nodes = nodesIn('abc');
    const pods = podsOn(nodes);
    const decide = (surplus: PodSurgeLimit) =>
      decideEligibility(pods[0] ?? aPod('x-1', 'n'), contextOf(nodes, pods, surplus));
    expect(decide(1).eligible).toBe(true);
    expect(decide('maxSurge')).toMatchObject({
      eligible: false,
      reason: expect.stringContaining('count released pods: it runs in 3 domains, and may have only 1 pod above its'),
      hint: expect.stringContaining('matchLabelKeys: [pod-template-hash]'),
    });
  });

  test('make nodes of all zones leave together', () => {
    const nodes = nodesIn('aabbcc');
    const choose = (pods: readonly PodFacts[]) =>
      selectBatch({ ...contextOf(nodes, pods, 0.5), waiting: nodes.map(nodeRefOf), maxNodes: 10 }).map(
        ({ name }) => name,
      );
    expect(choose(podsOn(nodes))).toEqual(['a1', 'b3', 'c5']);
    expect(choose(podsOn(nodes, { spreads: [] }))).toEqual(['a1', 'a2', 'b3']);
  });
});
