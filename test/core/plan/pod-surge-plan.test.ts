import { describe, expect, test } from 'vitest';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import {
  aBudget,
  aGroup,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aPool,
  aService,
  aWorkload,
  onePodOnEach,
  withPodSurge,
} from '../support/facts.ts';
import type { ClusterFacts, PodFacts, Policy } from '../support/model.ts';

/** A node in each zone, with one pod of the Service; nothing may be missing. */
const nodes = [aNode('n1'), aNode('n2', { zone: 'b' })];
const web = onePodOnEach('web', nodes, { ownerUid: 'rs' });

function plan(
  policy: Partial<Policy>,
  pods: readonly PodFacts[] = web,
  shared: readonly string[] = [],
  more: Partial<ClusterFacts> = {},
) {
  const served = pods.filter(({ labels }) => labels['app'] === 'web');
  const cluster = {
    nodes,
    pods,
    services: [aService('web', served)],
    budgets: [aBudget('web', served, served.length)],
    workloads: [aWorkload('web', served.length, { surge: 1 })],
    ...more,
  };
  const facts = anObservation(cluster, [aGroup('web', nodes, { crossZone: false })]);
  return buildPlan({
    policy: aPolicy(policy),
    run: 'run',
    pool: aPool(nodes),
    facts,
    sharedVolumeClaims: new Set(shared),
  });
}

describe('a plan says of each workload', () => {
  test('how many of its pods are surged, and how many together', () => {
    const handed = { workload: 'Deployment default/web', pods: 2, how: 'pod surge' };
    expect(plan(withPodSurge()).podSurge).toEqual([{ ...handed, together: 2 }]);
    expect(plan(withPodSurge('maxSurge')).podSurge).toEqual([{ ...handed, together: 1 }]);
  });

  test('that a quota has no room for all replacements at once', () => {
    const tell = (pods: number, namespace = 'default') =>
      plan(withPodSurge(), web, [], { quotas: [{ key: 'ResourceQuota default/pods', namespace, hard: { pods } }] })
        .podSurge;
    expect(tell(3)).toMatchObject([
      {
        how: 'pod surge',
        together: 1,
        reason: expect.stringMatching(/^ResourceQuota default\/pods has room for 1 pod more \(pods\)/),
      },
    ]);
    expect(tell(2)).toMatchObject([{ how: 'evicted', reason: expect.stringMatching(/has no room for another pod/) }]);
    for (const told of [tell(4), tell(0, 'other')]) expect(told?.[0]).not.toHaveProperty('reason');
  });

  test('why pods are evicted, each reason once', () => {
    const db = aPod('db-0', 'n1', { ownerKind: 'StatefulSet', ownerName: 'db', labels: { app: 'db' } });
    const [first, second] = web;
    if (first === undefined || second === undefined) throw new Error('no pods');
    const pods = [first, { ...second, volumeClaims: ['data'] }, db];
    expect(plan(withPodSurge(), pods).podSurge).toMatchObject([
      { workload: 'Deployment default/db', pods: 1, how: 'evicted', reason: expect.stringMatching(/^a StatefulSet/) },
      { workload: 'Deployment default/web', pods: 1, how: 'pod surge' },
      { workload: 'Deployment default/web', pods: 1, how: 'evicted', hint: expect.stringContaining('ReadWriteMany') },
    ]);
    expect(plan(withPodSurge(), pods, ['default/data']).podSurge?.[1]).toMatchObject({ pods: 2, how: 'pod surge' });
  });

  test('that the policy excepts it', () => {
    const except = withPodSurge(1, { 'default/web': { mode: 'off', max: 1 } });
    expect(plan(except).podSurge).toMatchObject([
      { pods: 2, how: 'evicted', reason: 'the policy switches pod surge off for default/web' },
    ]);
    const only = withPodSurge(1, { 'default/web': { mode: 'auto', max: 1 } }).podSurge;
    expect(plan({ podSurge: { ...only, mode: 'off' } }).podSurge).toMatchObject([{ pods: 2, how: 'pod surge' }]);
  });

  test('nothing when the policy has no pod surge', () => {
    expect(plan({})).not.toHaveProperty('podSurge');
  });
});

describe('a plan with pod surge', () => {
  const rulesOf = (...asked: Parameters<typeof plan>) => plan(...asked).findings.map(({ rule }) => rule);

  test('accepts one endpoint per zone, and a budget that never allows a disruption', () => {
    expect(rulesOf({})).toEqual(expect.arrayContaining(['GRD-001', 'SVC-002', 'WKL-003']));
    expect(rulesOf(withPodSurge())).toEqual([]);
  });

  test('accepts a single replica on a single node', () => {
    const [only] = web;
    const pods = only === undefined ? [] : [only];
    expect(rulesOf({}, pods)).toEqual(expect.arrayContaining(['SVC-001', 'WKL-001']));
    expect(rulesOf(withPodSurge(), pods)).toEqual([]);
  });

  test('warns of exceptions for Deployments that are not there', () => {
    const except = (name: string) => withPodSurge(1, { [name]: { mode: 'auto', max: 1 } });
    expect(rulesOf(except('default/wbe'))).toEqual(['POL-004']);
    expect(rulesOf(except('default/web'))).toEqual([]);
  });

  test('is refused when pods for which pod surge is required cannot be surged', () => {
    const { podSurge } = withPodSurge();
    const required = { podSurge: { ...podSurge, mode: 'required' as const } };
    expect(rulesOf(required)).toEqual([]);
    const stuck = web.map((pod) => ({ ...pod, volumeClaims: ['data'] }));
    expect(plan(required, stuck).findings).toContainEqual({
      rule: 'HND-001',
      severity: 'blocker',
      subject: '2 pods of Deployment default/web',
      message: 'the policy requires pod surge, but only one node at a time can mount its volume of data',
      hint: expect.stringContaining('Set mode auto for it in spec.podSurge.workloads'),
    });
  });

  test('expects one batch instead of a batch per node', () => {
    const names = plan(withPodSurge()).estimate.terms.map(({ name }) => name);
    expect(names).toContain('1 × pod surge');
    expect(names).toContain('1 × deregistration');
    expect(names.join()).not.toContain('replacements turn healthy');
  });
});
