import { describe, expect, test } from 'vitest';
import { learnBaselines } from '../../../core/guard/baseline.ts';
import { findRevocation } from '../../../core/guard/revocation.ts';
import type { NodeFacts } from '../../../core/model/node.ts';
import type { DisruptionBudgetFacts, PodFacts } from '../../../core/model/pod.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import type { ServingFacts } from '../../../core/model/serving.ts';
import type { TargetState } from '../../../core/model/target-group.ts';
import type { Policy } from '../../../core/policy/policy.ts';
import {
  aBudget,
  aGroup,
  aNode,
  anObservation,
  aPolicy,
  aService,
  aTarget,
  aWorkload,
  nodeRefOf,
  onePodOnEach,
} from '../support/facts.ts';

const nodes = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' }), aNode('n4', { zone: 'b' })];
const pods = onePodOnEach('web', nodes);

interface Scene {
  readonly traffic?: ServiceFacts['externalTrafficPolicy'];
  readonly budgets?: readonly DisruptionBudgetFacts[];
  readonly crossZone?: boolean;
  readonly pods?: readonly PodFacts[];
  /** Nodes that are not as they should be. */
  readonly nodes?: Readonly<Record<string, Partial<NodeFacts>>>;
  /** States of targets that are not healthy. */
  readonly states?: Readonly<Record<string, TargetState>>;
}

function state({
  traffic = 'Local',
  budgets = [],
  crossZone = true,
  pods: running = pods,
  ...scene
}: Scene): ServingFacts {
  const all = nodes.map((node) => ({ ...node, ...scene.nodes?.[node.name] }));
  const targets = all.map((node) => aTarget(node, { state: scene.states?.[node.name] ?? 'healthy' }));
  const services = [aService('web', running, { externalTrafficPolicy: traffic })];
  return anObservation({ nodes: all, pods: running, services, budgets, workloads: [aWorkload('web', 4)] }, [
    aGroup('web', all, { targets, crossZone }),
  ]);
}

/** Node n1 is excluded, and its Service has a pod on each of four nodes. Returns whether its exclusion is revoked. */
function ask(scene: Scene = {}, policy: Policy = aPolicy()): string | undefined {
  const now = state({
    ...scene,
    nodes: { n1: { excluded: true }, ...scene.nodes },
    states: { n1: 'draining', ...scene.states },
  });
  const { traffic = 'Local', budgets = [], crossZone = true } = scene;
  const baselines = learnBaselines([], state({ traffic, budgets, crossZone }), policy);
  return findRevocation({ node: nodeRefOf(aNode('n1')), facts: now, policy, baselines });
}

const failed = { n4: { ready: false } };

describe('a node that was excluded', () => {
  test.each<[string, Scene]>([
    ['without a budget', {}],
    ['with a budget', { budgets: [aBudget('web', pods, 3)] }],
    ['in zones', { crossZone: false }],
    ['of policy Cluster', { traffic: 'Cluster' }],
  ])('stays excluded while the Service keeps its minimum without it: %s', (_, scene) => {
    expect(ask(scene)).toBeUndefined();
  });

  test.each<[string, Scene, string]>([
    ['a node failed', { nodes: failed }, 'default/web has 2 serving targets without it and must keep 3 (75 % of 4)'],
    [
      'pods failed',
      { pods: pods.map((pod) => ({ ...pod, ready: pod.node !== 'n4' })) },
      'default/web has 2 serving targets without it and must keep 3 (75 % of 4)',
    ],
    [
      'a node failed that had pods of its budget',
      { nodes: failed, budgets: [aBudget('web', pods, 3)] },
      'budget default/web has 2 reachable pods without it and must keep 3',
    ],
    [
      'the other node of its zone failed',
      { nodes: { n2: { ready: false } }, crossZone: false, budgets: [aBudget('web', pods, 1)] },
      'default/web has 0 serving targets in a without it and must keep 1',
    ],
    [
      'a node failed, under policy Cluster',
      { nodes: failed, traffic: 'Cluster' },
      'default/web has 2 serving targets without it and must keep 3 (75 % of 4)',
    ],
    [
      'somebody excluded another node',
      { nodes: { n4: { excluded: true } } },
      'default/web has 2 serving targets without it and must keep 3 (75 % of 4)',
    ],
  ])('is restored when %s', (_, scene, reason) => {
    expect(ask(scene)).toBe(reason);
  });

  test.each<[string, Scene]>([
    ['another node that is being restored makes up for it', { states: { n4: 'initial' } }],
    ['so does one whose pods its budget counts', { states: { n4: 'initial' }, budgets: [aBudget('web', pods, 3)] }],
    ['so does one of the same zone', { states: { n2: 'unhealthy' }, crossZone: false }],
    ['so does one under policy Cluster', { states: { n4: 'initial' }, traffic: 'Cluster' }],
    [
      'so does one that was restored a moment ago, and still drains',
      { states: { n4: 'draining' }, traffic: 'Cluster' },
    ],
  ])('stays excluded when %s', (_, scene) => {
    const written = aPolicy({ guard: { ...aPolicy().guard, minServing: { 'default/web': { targets: 3 } } } });
    expect(ask({ ...scene, nodes: failed }, written)).toBeDefined();
    expect(ask(scene, written)).toBeUndefined();
  });

  test.each<[string, Scene]>([
    ['has no pod Ready', { pods: pods.map((pod) => ({ ...pod, ready: pod.node !== 'n1' })) }],
    [
      'is NotReady itself, under policy Cluster',
      { nodes: { n1: { excluded: true, ready: false } }, traffic: 'Cluster' },
    ],
  ])('stays excluded when it could not help: it %s', (_, scene) => {
    expect(ask({ ...scene, nodes: { ...failed, ...scene.nodes } })).toBeUndefined();
  });

  test('stays excluded when the Service was scaled down', () => {
    expect(ask({ pods: pods.slice(0, 3) })).toBeDefined();
    const now = state({ pods: pods.slice(0, 3), nodes: { n1: { excluded: true } }, states: { n1: 'draining' } });
    const facts = { ...now, cluster: { ...now.cluster, workloads: [aWorkload('web', 3)] } };
    const baselines = learnBaselines([], state({}), aPolicy());
    expect(findRevocation({ node: nodeRefOf(aNode('n1')), facts, policy: aPolicy(), baselines })).toBeUndefined();
  });

  test('stays excluded whatever happens when the guard is disabled', () => {
    expect(ask({ nodes: failed }, aPolicy({ disabledRules: ['capacity-guard'] }))).toBeUndefined();
  });
});
