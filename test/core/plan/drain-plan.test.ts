/** Plans of drains: nothing takes the place of the nodes that leave. */
import { describe, expect, test } from 'vitest';
import { computeMinServing } from '../../../core/guard/min-serving.ts';
import { balancedServices, stateOf } from '../../../core/guard/serving.ts';
import { noteSilent } from '../../../core/guard/silent-groups.ts';
import { drainPolicy } from '../../../core/policy/drain-policy.ts';
import { membersOf, oldNodes } from '../../../core/policy/members.ts';
import { aGroup, aNode, aPod, aPolicy, aPool, aTarget, withPodSurge } from '../support/facts.ts';
import type { Policy, TargetState } from '../support/model.ts';
import { factsOf, learned, nodes, planFor, pods, type Scene } from '../support/scene.ts';

function draining(names: readonly string[], changes: Partial<Policy> = withPodSurge()): Policy {
  const selected = nodes.filter(({ name }) => names.includes(name)).map(({ name, uid }) => ({ name, uid }));
  const choice = { pool: 'web', nodes: selected, terminate: false, deleteEmptyDirData: false, force: false };
  return drainPolicy(aPolicy(changes), choice);
}

function planDrain(names: readonly string[], scene: Scene = {}, changes?: Partial<Policy>) {
  const policy = draining(names, changes);
  const facts = factsOf(scene);
  return planFor(facts, policy, aPool(oldNodes(facts.cluster, policy)));
}

const blockersOf = (...args: Parameters<typeof planDrain>) =>
  planDrain(...args).findings.flatMap(({ rule, severity }) => (severity === 'blocker' ? [rule] : []));

describe('a drain', () => {
  test('plans the selected nodes alone, no new ones, and no boot', () => {
    const plan = planDrain(['n1', 'n3']);
    expect(plan.nodes.map(({ name }) => name).toSorted()).toEqual(['n1', 'n3']);
    expect(plan.surge).toBe(0);
    expect(plan.estimate.terms.map(({ name }) => name).join()).not.toMatch(/boot|termination/);
    expect(plan.estimate.instanceMinutes).toBe(0);
  });

  test('of the last node that takes pods is refused', () => {
    expect(blockersOf(['n1', 'n2', 'n3', 'n4'])).toContain('WKL-019');
  });

  test('of all targets of a Service with policy Cluster is refused, of all but one it is not', () => {
    const all = nodes.map(({ name }) => name);
    const idle = { traffic: 'Cluster', pods: [], workloads: [] } as const;
    expect(blockersOf(all, idle)).toContain('GRD-002');
    expect(blockersOf(all.slice(1), idle)).not.toContain('GRD-002');
  });

  test('of all targets of a load balancer that can draw other nodes is not', () => {
    const idle = { traffic: 'Cluster', pods: [], workloads: [], states: { n4: 'absent' } } as const;
    expect(blockersOf(['n1', 'n2', 'n3'], idle)).toContain('GRD-002');
    expect(blockersOf(['n1', 'n2', 'n3'], { ...idle, group: { membership: 'subset' } })).not.toContain('GRD-002');
  });

  test('of all targets is refused even if a target group, or each of them, never had a healthy one', () => {
    const second = (...states: readonly TargetState[]) => {
      const facts = factsOf({ traffic: 'Cluster' });
      const groups = states.map((state, index) =>
        aGroup('web', [], { id: `arn:${index}`, targets: nodes.map((node) => aTarget(node, { state })) }),
      );
      return { ...facts, targetGroups: noteSilent(groups, []) };
    };
    const all = nodes.map(({ name }) => name);
    for (const facts of [second('healthy', 'unhealthy'), second('unhealthy', 'unhealthy')]) {
      const rules = (of: readonly string[]) => planFor(facts, draining(of)).findings.map(({ rule }) => rule);
      expect(rules(all)).toContain('GRD-002');
      expect(rules(all.slice(1))).not.toContain('GRD-002');
    }
  });

  test('of a whole zone is refused where load balancers need a target in each', () => {
    expect(blockersOf(['n3', 'n4'], { crossZone: false })).toContain('GRD-002');
    expect(blockersOf(['n3'], { crossZone: false })).toEqual([]);
    expect(blockersOf(['n3', 'n4'], { crossZone: true })).toEqual([]);
  });

  test('of all candidate nodes of a zone is refused where load balancers have its pods as targets', () => {
    const podGroups = { names: ['pods-web'], zones: ['a', 'b'], zonesNeedCandidate: true };
    expect(blockersOf(['n3', 'n4'], { service: { podGroups } })).toContain('GRD-003');
    expect(blockersOf(['n3'], { service: { podGroups } })).toEqual([]);
    expect(blockersOf(['n3', 'n4'])).toEqual([]);
  });

  test('of a node that another run has marked is refused', () => {
    const changed = { n1: { ownership: { cordonedBy: 'run-other' } } };
    expect(blockersOf(['n1'], { changed })).toContain('INF-018');
    expect(blockersOf(['n2'], { changed })).not.toContain('INF-018');
  });

  test('is refused where no node that stays has the labels that a pod needs', () => {
    const pinned = [...pods.slice(1), { ...aPod('web-1', 'n1'), requiredNodeLabels: { disk: ['ssd'] } }];
    expect(blockersOf(['n1'], { pods: pinned })).toContain('WKL-019');
    expect(blockersOf(['n1'], { pods: pinned, changed: { n2: { labels: { disk: 'ssd' } } } })).not.toContain('WKL-019');
    const cordoned = { n2: { labels: { disk: 'ssd' }, cordoned: true } };
    expect(blockersOf(['n1'], { pods: pinned, changed: cordoned })).toContain('WKL-019');
  });
});

test('drained nodes no longer count towards what must serve, as nothing takes their place', () => {
  const drained = { excluded: true, cordoned: true };
  const scene: Scene = { traffic: 'Cluster', changed: { n1: drained }, states: { n1: 'absent' } };
  const targets = (policy: Policy) => {
    const facts = factsOf(scene);
    const [balanced] = balancedServices(facts).values();
    if (balanced === undefined) throw new Error('no Service');
    const [before] = learned(factsOf({ traffic: 'Cluster' }), policy);
    return computeMinServing(stateOf(balanced.service, facts), facts, policy, before).targets;
  };
  expect(targets(aPolicy())).toBe(3);
  expect(targets(draining(['n1', 'n2']))).toBe(2);
  // Somebody else has excluded it, and may include it again.
  expect(targets(draining(['n2']))).toBe(3);
});

describe('the nodes that have a part in a drain', () => {
  test('are the selected ones, by UID, whatever pool they are of', () => {
    const elsewhere = { ...aNode('n9'), pool: 'batch' };
    const renewed = { ...aNode('n2'), uid: 'another' };
    const { cluster } = factsOf({ nodes: [...nodes.filter(({ name }) => name !== 'n2'), renewed, elsewhere] });
    const members = membersOf(cluster, draining(['n1', 'n2']));
    expect([...members.old]).toEqual([aNode('n1').uid]);
    expect(members.staying).toContain('another');
    expect([...members.staying, ...members.new]).not.toContain(elsewhere.uid);
  });

  test('are found once for each observation', () => {
    const { cluster } = factsOf();
    const [one, other] = [draining(['n1']), draining(['n2'])];
    expect(membersOf(cluster, one)).toBe(membersOf(cluster, one));
    expect(membersOf(cluster, one)).not.toBe(membersOf(cluster, other));
    expect(membersOf(cluster, aPolicy())).toBe(membersOf(cluster, aPolicy()));
  });
});
