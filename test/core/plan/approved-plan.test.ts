import { describe, expect, test } from 'vitest';
import { approvedPart, findChanges } from '../../../core/plan/approved-plan.ts';
import type { PoolPlan } from '../../../core/plan/pool-plan.ts';
import { aNode, aPolicy, nodeRefOf } from '../support/facts.ts';

const pool = { cluster: 'c', region: 'eu-west-1', provider: 'eks', name: 'web' };
const nodes = ['n1', 'n2'].map((name) => nodeRefOf(aNode(name)));
const service: PoolPlan['services'][number] = {
  service: 'default/web',
  externalTrafficPolicy: 'Local',
  targetGroups: ['tg'],
  minServing: { targets: 2, perZone: { a: 1 }, endpoints: 0, source: 'pdb web' },
  connectionDrainMs: 30_000,
  forwardedMs: 0,
  removeEndpoints: false,
};
const plan: PoolPlan = {
  run: 'r1',
  policy: aPolicy(),
  oldPool: pool,
  newPool: { ...pool, name: 'web-1-34' },
  fromVersion: '1.33',
  toVersion: '1.34',
  nodes,
  surge: 2,
  services: [service],
  podSurge: [{ workload: 'Deployment default/web', pods: 2, how: 'pod surge' }],
  baselines: [],
  findings: [],
  estimate: { totalMs: 0, terms: [] },
};

function changes(now: Partial<PoolPlan>): readonly string[] {
  return findChanges(approvedPart(plan), approvedPart({ ...plan, ...now }));
}

describe('a plan that was approved', () => {
  test('fits as long as what was read in it is the same; order, run and estimate do not matter', () => {
    const estimate = { totalMs: 5, terms: [] };
    expect(changes({ run: 'r2', nodes: nodes.toReversed(), estimate })).toEqual([]);
  });

  test('no longer fits when nodes joined or are gone, and names them', () => {
    const other = nodeRefOf(aNode('n3'));
    expect(changes({ nodes: [nodes[0], other].flatMap((node) => node ?? []) })).toEqual([
      '1 node gone: n2',
      '1 node joined: n3',
    ]);
  });

  test('no longer fits when a node was replaced by another of the same name', () => {
    const [first, second] = nodes;
    const again = { ...(first ?? second), uid: 'another' } as (typeof nodes)[number];
    expect(changes({ nodes: [again, second].flatMap((node) => node ?? []) })).toEqual([
      '1 node gone: n1',
      '1 node joined: n1',
    ]);
  });

  test('no longer fits when the protection of a Service changed, or a Service came or went', () => {
    const weaker = { ...service, minServing: { ...service.minServing, targets: 1 } };
    expect(changes({ services: [weaker] })).toEqual([
      'Service default/web was: policy Local; must keep 2 targets, a 1; connection drain 30s; endpoints kept until eviction; ' +
        'is: policy Local; must keep 1 target, a 1; connection drain 30s; endpoints kept until eviction',
    ]);
    expect(changes({ services: [] })).toEqual(['Service gone: default/web']);
    expect(changes({ services: [service, { ...service, service: 'default/api' }] })).toEqual([
      'Service new: default/api',
    ]);
  });

  test('no longer fits when pods leave in another way, versions changed, or something else was found', () => {
    expect(changes({ podSurge: [{ workload: 'Deployment default/web', pods: 2, how: 'evicted' }] })).toEqual([
      'workload Deployment default/web was: pod surge; is: evicted',
    ]);
    expect(changes({ fromVersion: '1.34', surge: 3 })).toEqual([
      'the version of the pool was 1.33 and is 1.34',
      'the number of new nodes was 2 and is 3',
    ]);
    const finding = { rule: 'PDB-001', severity: 'warning', subject: 'pdb web', message: 'm', hint: 'h' } as const;
    expect(changes({ findings: [finding] })).toEqual(['new finding: PDB-001 pdb web']);
    // Whoever made the plan may have had other rights than the worker.
    expect(changes({ findings: [{ ...finding, severity: 'info' }] })).toEqual([]);
  });

  test('fits although admission denies something, if whoever made it was told that it could not try that', () => {
    const untried = { rule: 'INF-024', severity: 'info', subject: 'pool web', message: 'm', hint: 'h' } as const;
    const denied: Partial<PoolPlan> = {
      services: [{ ...service, removalDenied: true }],
      podSurge: [{ workload: 'Deployment default/web', pods: 2, how: 'evicted', denied: true }],
      findings: [{ rule: 'WKL-008', severity: 'warning', subject: 'pod a', message: 'm', hint: 'h', denied: true }],
    };
    const tried = { ...plan, services: [{ ...service, removeEndpoints: true }] };
    const changesOf = (before: PoolPlan, now: Partial<PoolPlan>) =>
      findChanges(approvedPart(before), approvedPart({ ...before, ...now }));

    expect(changesOf({ ...tried, findings: [untried] }, denied)).toEqual([]);
    expect(changesOf(tried, denied)).toHaveLength(3);
    const more = { rule: 'WKL-008', severity: 'warning', subject: 'pod b', message: 'm', hint: 'h' } as const;
    expect(changesOf({ ...tried, findings: [untried] }, { ...denied, findings: [more] })).toEqual([
      'new finding: WKL-008 pod b',
    ]);
  });
});
