import { describe, expect, test } from 'vitest';
import type { UnsupportedServiceFacts } from '../../../core/model/unsupported-service.ts';
import type { PoolPlan } from '../../../core/plan/pool-plan.ts';
import { refusal, unprotected } from '../../../core/plan/refusal.ts';
import { aGroup, aNode, anObservation, anUnsupported, aPod, aService, withGuard } from '../support/facts.ts';
import type { ServiceFacts, TargetGroupFacts } from '../support/model.ts';
import { names, nodes as ofPool, planFor } from '../support/scene.ts';

interface Changes {
  /** Where the pods of the Service run. */
  readonly nodes?: readonly string[];
  readonly policy?: ServiceFacts['externalTrafficPolicy'];
  readonly why?: UnsupportedServiceFacts['why'];
  readonly groups?: readonly TargetGroupFacts[];
  readonly accepted?: readonly string[];
}

const others = [aNode('x1', { pool: 'batch' }), aNode('x2', { pool: 'batch' })];
const onPool = { nodes: names };
const elsewhere = { nodes: others.map((node) => node.name) };

/** A plan for four nodes, beside which another pool stands, in a cluster with one Service, which is unsupported. */
function requirePlan({ nodes = [], policy = 'Local', why, groups = [], accepted = [] }: Changes): PoolPlan {
  const pods = nodes.map((node, index) => aPod(`web-${index + 1}`, node));
  const services = [aService('web', pods, { externalTrafficPolicy: policy })];
  const unsupported = [anUnsupported('web', why === undefined ? {} : { why })];
  const facts = anObservation({ nodes: [...ofPool, ...others], pods, services }, groups, unsupported);
  return planFor(facts, withGuard({ acceptUnprotected: accepted }));
}

const found = ({ findings }: PoolPlan) => findings.map(({ rule, severity }) => [rule, severity]);

describe('an unsupported Service', () => {
  test.each<[string, Changes]>([
    ['it has endpoints on the nodes to replace', onPool],
    ['it has endpoints on the nodes to replace', { ...onPool, why: 'other-targets' }],
    ['policy Cluster lets its connections pass through the nodes to replace', { ...elsewhere, policy: 'Cluster' }],
    [
      'policy Cluster lets its connections pass through the nodes to replace',
      { ...elsewhere, policy: 'Cluster', why: 'not-managed' },
    ],
  ])('refuses the run because %s: %j', (touch, changes) => {
    const plan = requirePlan(changes);

    expect(found(plan)).toEqual([['SVC-028', 'blocker']]);
    expect(refusal(plan)?.message).toContain(
      `SVC-028 service default/web: it can't be protected, and ${touch}: no load balancer has the address web.elb.example`,
    );
    expect(refusal(plan)?.hint).toBe(
      'Move it to a Network Load Balancer. Or list it in spec.guard.acceptUnprotected: it may lose connections then. ' +
        'Or accept the loss, with the reason: --accept SVC-028="…".',
    );
  });

  test.each<[string, Changes]>([
    ['under policy Local has its pods elsewhere', elsewhere],
    ['has its pods elsewhere and sends straight to them', { ...elsewhere, policy: 'Cluster', why: 'other-targets' }],
    ['has its pods elsewhere and is accepted', { ...elsewhere, accepted: ['default/web'] }],
  ])('that %s is left alone', (_, changes) => {
    const plan = requirePlan(changes);

    expect(found(plan)).toEqual([['SVC-028', 'info']]);
    expect(plan.services).toEqual([]);
    expect(refusal(plan)).toBeUndefined();
    expect(unprotected(plan.findings)).toEqual([]);
  });

  test('that is observed in part is audited in that part', () => {
    const groups = [aGroup('web', ofPool)];
    const plan = requirePlan({ nodes: ['n1', 'n1'], why: 'other-targets', groups });

    const blockers = ['SVC-001', 'SVC-028'].map((rule) => [rule, 'blocker']);
    expect(found(plan)).toEqual(expect.arrayContaining(blockers));
  });
});

describe('an accepted unsupported Service', () => {
  const accepted = ['default/web'];

  test('may be replaced under, and the report repeats that it was not protected', () => {
    const plan = requirePlan({ ...onPool, accepted });

    expect(found(plan)).toEqual([['SVC-028', 'error']]);
    expect(refusal(plan)).toBeUndefined();
    expect(unprotected(plan.findings)).toEqual([
      "service default/web: it can't be protected, which the policy accepts; it has endpoints on the nodes to replace: no load balancer has the address web.elb.example",
    ]);
  });

  test('is planned like one without a load balancer when no target group of it is observed', () => {
    expect(requirePlan({ ...onPool, accepted }).services).toMatchObject([
      {
        minServing: { targets: 0, perZone: {}, endpoints: 0, source: 'load balancer not supported' },
        connectionDrainMs: 0,
        forwardedMs: 0,
        removeEndpoints: true,
      },
    ]);
  });

  test('is guarded and waited for by what is observed of it', () => {
    const groups = [aGroup('web', ofPool)];
    expect(requirePlan({ ...onPool, accepted, groups }).services).toMatchObject([
      { minServing: { targets: 3 }, connectionDrainMs: 315_000 },
    ]);
  });

  test('with a name that no Service has is reported as misspelt', () => {
    const plan = requirePlan({ ...elsewhere, accepted: ['default/wbe', 'default/web'] });

    expect(plan.findings).toContainEqual({
      rule: 'POL-001',
      severity: 'warning',
      subject: 'service default/wbe',
      message: 'spec.guard.acceptUnprotected names it, but the cluster has no such Service',
      hint: "Services that can't be protected: default/web.",
    });
    expect(plan.findings.filter(({ rule }) => rule === 'POL-001')).toHaveLength(1);
  });
});
