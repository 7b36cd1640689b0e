import { describe, expect, test } from 'vitest';
import type { ServiceBaseline } from '../../../core/guard/baseline.ts';
import { type Batches, simulateBatches } from '../../../core/plan/simulate-batches.ts';
import {
  aBaseline,
  aBudget,
  aPolicy,
  aService,
  aTarget,
  aWorkload,
  nodeRefOf,
  withGuard,
  withMinServing,
  withPodSurge,
} from '../support/facts.ts';
import type { Policy, TargetState } from '../support/model.ts';
import { factsOf, learned, nodes, pods, type Scene } from '../support/scene.ts';

interface Terms extends Scene {
  readonly least?: number;
  readonly guard?: Partial<Policy['guard']>;
  readonly policy?: Partial<Policy>;
  /** The baseline of the Service; what the observation itself shows unless given. */
  readonly known?: readonly ServiceBaseline[];
}

/** Simulates the run of four nodes in two zones that serve one Service. */
function play({ least, guard, policy: rules, known, ...scene }: Terms): Batches {
  const facts = factsOf(scene);
  const policy = aPolicy({
    ...rules,
    ...(least === undefined ? withGuard({ ...guard }) : withMinServing(least, guard)),
  });
  const baselines = known ?? learned(facts, policy);
  return simulateBatches({ facts, policy, baselines, nodes: nodes.map(nodeRefOf) });
}

const names = (terms: Terms) => play(terms).batches.map((batch) => batch.nodes.map((node) => node.name));
const byTwo = [
  ['n1', 'n2'],
  ['n3', 'n4'],
];

describe('batches', () => {
  test('are as large as the minimum serving allows', () => {
    expect(names({ least: 3 })).toEqual([['n1'], ['n2'], ['n3'], ['n4']]);
    expect(names({ least: 2 })).toEqual(byTwo);
    expect(names({ least: 1, crossZone: false })).toEqual([
      ['n1', 'n3'],
      ['n2', 'n4'],
    ]);
    expect(names({ cluster: { budgets: [aBudget('web', pods, 2)] } })).toEqual(byTwo);
  });

  test('are as large as the policy allows', () => {
    expect(names({ least: 1, guard: { maxInFlight: 2 } })).toEqual(byTwo);
    expect(names({ least: 4, policy: { disabledRules: ['capacity-guard'] } })).toHaveLength(1);
  });

  test('take all nodes under policy Cluster, where the new nodes serve from the beginning', () => {
    expect(names({ traffic: 'Cluster' })).toHaveLength(1);
    expect(names({ traffic: 'Cluster', crossZone: false })).toHaveLength(1);
  });

  test('say which nodes are stuck and why', () => {
    const { batches, stuck, block, reason } = play({ least: 4 });
    expect(batches).toEqual([]);
    expect(stuck).toHaveLength(4);
    expect(block).toMatchObject({ node: 'n1', limit: 'targets', needs: 4, has: 4 });
    expect(reason).toBe('n1 waits: default/web has 4 serving targets and must keep 4 (policy)');
  });

  test('say it of the nodes that are left, too', () => {
    const services = [aService('web', pods.slice(0, 3))];
    const { batches, stuck, block } = play({ least: 1, crossZone: false, cluster: { services } });
    expect(batches.flatMap((batch) => batch.nodes.map(({ name }) => name)).toSorted()).toEqual(['n1', 'n2', 'n4']);
    expect(stuck.map(({ name }) => name)).toEqual(['n3']);
    expect(block).toMatchObject({ limit: 'zone', zone: 'b' });
  });
});

describe('what resolves itself', () => {
  const rolling = [aWorkload('web', 4, { rollingOut: true })];
  const unready = pods.map((pod) => ({ ...pod, ready: pod.node !== 'n4' }));
  const silent = nodes.map((node) => ({ ...node, ready: node.name !== 'n4' }));
  const with4 = (state: TargetState) => nodes.map((node) => aTarget(node, node.name === 'n4' ? { state } : {}));

  test.each<[string, Terms]>([
    ['a rollout', { cluster: { workloads: rolling } }],
    [
      'a target that its controller would not deregister now',
      { group: { strandsDraining: true, targets: with4('unhealthy.draining') } },
    ],
    [
      'what the Service lacks of its baseline',
      { least: 2, group: { targets: with4('unhealthy') }, known: [aBaseline('web', 4)] },
    ],
    [
      'a pod that is not ready, of a budget that spares one',
      { cluster: { pods: unready, budgets: [aBudget('web', pods, 3)] } },
    ],
    ['a node that is silent', { least: 3, cluster: { nodes: silent } }],
    [
      'a target that the load balancer has yet to notice',
      { least: 2, cluster: { services: [aService('web', pods.slice(1))] } },
    ],
  ])('blocks no node for good: %s', (_, scene) => {
    expect(play(scene).stuck).toEqual([]);
  });

  test('does not hide a minimum serving that blocks for good', () => {
    expect(play({ least: 4, cluster: { workloads: rolling } }).block).toMatchObject({ limit: 'targets' });
    expect(names({ least: 3, cluster: { workloads: rolling } })).toHaveLength(4);
  });
});

describe('batches of a run with pod surge', () => {
  const all = [['n1', 'n2', 'n3', 'n4']];
  const cluster = { workloads: [aWorkload('web', 4, { surge: 1 })] };

  test('contain all nodes where every pod is doubled, whatever minimum serving and budgets say', () => {
    const policy = withPodSurge(1);
    expect(names({ policy, cluster, least: 4, crossZone: false })).toEqual(all);
    expect(names({ policy, cluster: { ...cluster, budgets: [aBudget('web', pods, 4)] } })).toEqual(all);
    expect(names({ policy, cluster, traffic: 'Cluster', least: 4 })).toEqual(all);
  });

  test('have as many nodes as workloads have pods beyond their replicas', () => {
    const budgets = [aBudget('web', pods, 4)];
    expect(names({ policy: withPodSurge(0.5), cluster: { ...cluster, budgets } })).toEqual(byTwo);
    expect(names({ policy: withPodSurge('maxSurge'), cluster: { ...cluster, budgets } })).toHaveLength(4);
    expect(names({ policy: withPodSurge(1), cluster, guard: { maxInFlight: 3 } })).toEqual([
      ['n1', 'n2', 'n3'],
      ['n4'],
    ]);
  });

  test('are no larger than the waves in which new nodes come up', () => {
    const policy = { ...withPodSurge(1), nodeSurge: { instances: 3 } };
    expect(names({ policy, cluster })).toEqual([['n1', 'n2', 'n3'], ['n4']]);
    expect(play({ policy, cluster }).batches.map(({ wave }) => wave)).toEqual([0, 1]);
  });

  test('are those of the guard for pods that cannot be surged', () => {
    const policy = withPodSurge(1);
    const stateful = pods.map((pod) => ({ ...pod, ownerKind: 'StatefulSet' as const }));
    expect(names({ policy, cluster: { pods: stateful }, least: 3 })).toHaveLength(4);
    const { stuck, block } = play({ policy, cluster: { pods: stateful, budgets: [aBudget('web', pods, 4)] } });
    expect(stuck).toHaveLength(4);
    expect(block).toMatchObject({ limit: 'endpoints' });
    expect(play({ policy: { podSurge: { ...policy.podSurge, mode: 'off' } }, cluster, least: 4 }).stuck).toHaveLength(
      4,
    );
  });
});
