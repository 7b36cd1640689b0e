import { describe, expect, test } from 'vitest';
import type { NodeFacts } from '../../../core/model/node.ts';
import type { PodFacts } from '../../../core/model/pod.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import type { Finding } from '../../../core/plan/finding.ts';
import type { Policy } from '../../../core/policy/policy.ts';
import {
  aBudget,
  aGroup,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aPool,
  aService,
  aTarget,
  aWorkload,
  onePodOnEach,
  withPodSurge,
} from '../support/facts.ts';

/** Two nodes in zone a, one in zone b, each with a pod; and a spare node of another pool in each zone. */
const old = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' })];
const spare = [aNode('x1', { pool: 'other' }), aNode('x2', { pool: 'other', zone: 'b' })];
const pods = onePodOnEach('web', old);

interface Scene {
  readonly nodes?: readonly NodeFacts[];
  readonly pods?: readonly PodFacts[];
  readonly traffic?: ServiceFacts['externalTrafficPolicy'];
  readonly crossZone?: boolean;
  /** Pods that the budget requires, of this many. */
  readonly demands?: (pods: number) => number;
  readonly minServing?: Policy['guard']['minServing'][string];
  readonly rollingOut?: boolean;
  readonly podSurge?: Pick<Policy, 'podSurge'>;
}

/** What GRD-001 says about a run over these nodes. */
function findingOf(scene: Scene): Finding | undefined {
  const { nodes = old, pods: running = pods, traffic = 'Local', demands } = scene;
  const all = [...nodes, ...spare];
  const hosts = new Set(running.map((pod) => pod.node));
  const targets = all.map((node) =>
    aTarget(node, { state: traffic === 'Cluster' || hosts.has(node.name) ? 'healthy' : 'unhealthy' }),
  );
  const budgets = demands === undefined ? [] : [aBudget('web', running, demands(running.length))];
  const services = [aService('web', running, { externalTrafficPolicy: traffic })];
  const workloads = [aWorkload('web', running.length, { rollingOut: scene.rollingOut ?? false, surge: 1 })];
  const groups = [aGroup('web', all, { targets, crossZone: scene.crossZone ?? true })];
  const facts = anObservation({ nodes: all, pods: running, services, budgets, workloads }, groups);
  const minServing = scene.minServing === undefined ? {} : { 'default/web': scene.minServing };
  const policy = aPolicy({ guard: { ...aPolicy().guard, minServing }, ...scene.podSurge });
  return buildPlan({ policy, run: 'run', pool: aPool(nodes), facts }).findings.find(({ rule }) => rule === 'GRD-001');
}

/** Ways out, each by the word that a hint names it with. */
const ways: Readonly<Record<string, (scene: Scene) => Scene>> = {
  replica: ({ pods: running = pods, ...scene }) => ({
    ...scene,
    pods: [...running, aPod('web-8', 'x1'), aPod('web-9', 'x2')],
  }),
  'cross-zone': (scene) => ({ ...scene, crossZone: true }),
  maxUnavailable: (scene) => ({ ...scene, demands: (n) => n - 1 }),
  'spec.podSurge': (scene) => ({ ...scene, podSurge: withPodSurge('maxSurge') }),
  'spec.guard.minServing': (scene) => ({ ...scene, minServing: { targets: 1 } }),
};

const stuck: readonly (readonly [what: string, scene: Scene, named: readonly string[]])[] = [
  ['one node alone serves a zone', { crossZone: false, demands: () => 1 }, ['replica', 'cross-zone', 'spec.podSurge']],
  ['a budget demands as many pods as there are', { demands: () => 3 }, ['replica', 'maxUnavailable', 'spec.podSurge']],
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
  ['one node alone serves', { nodes: old.slice(0, 1), pods: pods.slice(0, 1) }, ['replica', 'spec.podSurge']],
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

describe('a run that can end is not refused', () => {
  test('because of a rollout, which ends by itself', () => {
    expect(findingOf({ rollingOut: true })).toBeUndefined();
    expect(findingOf({ rollingOut: true, demands: (n) => n - 1 })).toBeUndefined();
  });

  test('but a rollout does not hide a minimum serving that blocks for good', () => {
    expect(findingOf({ rollingOut: true, demands: () => 3 })?.severity).toBe('blocker');
  });
});
