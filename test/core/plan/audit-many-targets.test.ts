/** SVC-025 where pods are the targets of a load balancer: nodes are none, however many there are. */
import { expect, test } from 'vitest';
import type { TargetGroupFacts } from '../../../core/model/target-group.ts';
import { auditOf } from '../support/audited-cluster.ts';
import { aNode, aPod, aWorkload, withPodSurge } from '../support/facts.ts';
import type { Policy } from '../support/model.ts';
import { podsBehind } from '../support/pod-targets.ts';
import { planFor } from '../support/scene.ts';

type Limit = NonNullable<TargetGroupFacts['maxTargets']>;

/** A Service with pods on nodes in two zones, all of which are to be replaced. Its workload may have two pods more than it has. */
function crowd(pods: number, nodes: number, maxTargets: Limit) {
  const hosts = Array.from({ length: nodes }, (_, at) => aNode(`n${at}`, { zone: at % 2 === 0 ? 'a' : 'b' }));
  const own = Array.from({ length: pods }, (_, at) => aPod(`web-${at}`, `n${at % nodes}`, { ownerUid: 'rs' }));
  const facts = podsBehind(own, { nodes: hosts, workloads: [aWorkload('web', pods, { surge: 2 })] });
  return { ...facts, targetGroups: facts.targetGroups.map((group) => ({ ...group, maxTargets })) };
}

const inAll = (targets: number): Limit => ({ targets, perZone: false });

function found(facts: ReturnType<typeof crowd>, policy: Partial<Policy> = withPodSurge('maxSurge')) {
  return planFor(facts, policy).findings.flatMap(({ rule, message, hint }) =>
    rule === 'SVC-025' ? [{ message, hint }] : [],
  );
}

test('the pods of a batch of pod surge come beside all others', () => {
  expect(found(crowd(9, 2, inAll(10)))).toEqual([
    {
      message: 'nlb-web can have 10 targets as far as is known, and would have 11 targets with 2 new ones',
      hint: expect.stringContaining('spec.podSurge.max') as string,
    },
  ]);
  expect(found(crowd(8, 2, inAll(10)))).toEqual([]);
  expect(found(crowd(8, 2, inAll(10)), withPodSurge())).toHaveLength(1);
});

test('new nodes are no targets, and pods that are evicted make room for their replacements', () => {
  expect(found(crowd(6, 6, inAll(8)))).toEqual([]);
  expect(found(crowd(9, 2, inAll(10)), { podSurge: { mode: 'off', max: 1, workloads: {} } })).toEqual([]);
});

test('each zone has its own limit where the load balancer is not balanced across zones', () => {
  // Six in zone a, three in zone b; two more in proportion.
  const limit = { targets: 7, perZone: true };
  expect(found(crowd(9, 3, limit))).toMatchObject([
    { message: 'nlb-web can have 7 targets in a as far as is known, and would have 8 targets with 2 new ones' },
  ]);
  expect(found(crowd(9, 3, { ...limit, targets: 8 }))).toEqual([]);
});

test('targets that are leaving already do not count', () => {
  const facts = crowd(9, 2, inAll(10));
  const targetGroups = facts.targetGroups.map((group) => ({
    ...group,
    targets: group.targets.map((target, at) => (at === 0 ? { ...target, state: 'draining' as const } : target)),
  }));
  expect(found({ ...facts, targetGroups })).toEqual([]);
});

test('an audit, which asks about no pool, says so too', () => {
  const { cluster, targetGroups } = crowd(9, 2, inAll(10));
  const { findings } = auditOf({
    nodes: cluster.nodes,
    pods: cluster.pods,
    cluster: { workloads: cluster.workloads ?? [] },
    groups: targetGroups,
    policy: withPodSurge('maxSurge'),
  });
  expect(findings.filter(({ rule }) => rule === 'SVC-025').map(({ message }) => message)).toEqual([
    'nlb-web can have 10 targets as far as is known, and would have 11 targets with 2 new ones',
  ]);
});
