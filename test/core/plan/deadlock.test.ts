import { describe, expect, test } from 'vitest';
import type { BudgetDemand } from '../../../core/model/budget-demand.ts';
import type { Finding } from '../../../core/plan/finding.ts';
import { aBudget, aNode, aPod, aWorkload, onePodOnEach, withGuard, withPodSurge } from '../support/facts.ts';
import type { Policy } from '../support/model.ts';
import { factsOf, planFor, type Scene } from '../support/scene.ts';

/** Two nodes in zone a, one in zone b, each with a pod; and a spare node of another pool in each zone. */
const old = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' })];
const spare = [aNode('x1', { pool: 'other' }), aNode('x2', { pool: 'other', zone: 'b' })];
const onePod = onePodOnEach('web', old);

interface Terms extends Scene {
  /** Pods that the budget requires, of this many. */
  readonly demands?: (pods: number) => number;
  /** The same, as its spec says it. */
  readonly demand?: BudgetDemand;
  readonly minServing?: Policy['guard']['minServing'][string];
  readonly podSurge?: Pick<Policy, 'podSurge'>;
}

/** What GRD-001 says about a run over these nodes. */
function findingOf({ demands, demand, minServing, podSurge, ...scene }: Terms): Finding | undefined {
  const { nodes = old, pods = onePod } = scene;
  const budgets =
    demands === undefined ? [] : [{ ...aBudget('web', pods, demands(pods.length)), ...(demand && { demand }) }];
  const workloads = [aWorkload('web', pods.length, { surge: 1 })];
  const facts = factsOf({ ...scene, nodes: [...nodes, ...spare], pods, budgets, workloads });
  const guard = withGuard({ minServing: minServing === undefined ? {} : { 'default/web': minServing } });
  return planFor(facts, { ...guard, ...podSurge }).findings.find(({ rule }) => rule === 'GRD-001');
}

/** Ways out, each by the word that a hint names it with. */
const ways: Readonly<Record<string, (scene: Terms) => Terms>> = {
  replica: ({ pods = onePod, ...scene }) => ({
    ...scene,
    pods: [...pods, aPod('web-8', 'x1'), aPod('web-9', 'x2')],
  }),
  'cross-zone': (scene) => ({ ...scene, crossZone: true }),
  maxUnavailable: (scene) => ({ ...scene, demands: (n) => n - 1 }),
  'spec.podSurge': (scene) => ({ ...scene, podSurge: withPodSurge('maxSurge') }),
  'spec.guard.minServing': (scene) => ({ ...scene, minServing: { targets: 1 } }),
};

const stuck: readonly (readonly [what: string, scene: Terms, named: readonly string[]])[] = [
  ['one node alone serves a zone', { crossZone: false, demands: () => 1 }, ['replica', 'cross-zone', 'spec.podSurge']],
  ['a budget demands as many pods as there are', { demands: () => 3 }, ['replica', 'maxUnavailable', 'spec.podSurge']],
  [
    'a budget demands a number of pods that is as high as what there is',
    { demands: () => 3, demand: { field: 'minAvailable', amount: 3, isPercentage: false } },
    ['replica', 'maxUnavailable', 'spec.podSurge'],
  ],
  [
    'a budget demands all pods, however many',
    { demands: (n) => n, demand: { field: 'minAvailable', amount: 100, isPercentage: true } },
    ['maxUnavailable', 'spec.podSurge'],
  ],
  [
    'the minimum serving is as high as what serves',
    { minServing: { targets: 3 } },
    ['replica', 'spec.podSurge', 'spec.guard.minServing'],
  ],
  [
    'the minimum serving is all that serves, however much',
    { minServing: { share: 1 } },
    ['spec.podSurge', 'spec.guard.minServing'],
  ],
  [
    'the minimum serving is higher than what serves with all new nodes',
    { traffic: 'Cluster', minServing: { targets: 20 } },
    ['spec.guard.minServing'],
  ],
  ['one node alone serves', { nodes: old.slice(0, 1), pods: onePod.slice(0, 1) }, ['replica', 'spec.podSurge']],
];

describe('a run that could never end is refused', () => {
  test.each(stuck)('when %s, and the hint names the ways out that work, and no others', (_, scene, named) => {
    const finding = findingOf(scene);
    expect(finding?.severity).toBe('blocker');
    const working = Object.keys(ways).filter((way) => findingOf(ways[way]?.(scene) ?? scene) === undefined);
    expect(working).toEqual(named);
    const told = Object.keys(ways).filter((way) => finding?.hint.includes(way));
    expect(told).toEqual(named);
  });

  test('with what each way costs', () => {
    expect(findingOf({ crossZone: false, demands: () => 1 })?.hint).toContain('costs a pod per zone');
    expect(findingOf({ crossZone: false, demands: () => 1 })?.hint).toContain('traffic between zones is billed');
    expect(findingOf({ demands: () => 3 })?.hint).toContain('budget default/web');
    expect(findingOf({ minServing: { targets: 3 } })?.hint).toContain("spec.guard.minServing['default/web']");
  });
});
