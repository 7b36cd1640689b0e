import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../core/plan/finding.ts';
import { refusal, unprotected } from '../../../core/plan/refusal.ts';
import { aGroup, aNode, anObservation, aPod, aService, withWaits } from '../support/facts.ts';
import { nodes, planFor, pods } from '../support/scene.ts';

describe('a plan', () => {
  const api = [aPod('api-1', 'n2'), aPod('api-2', 'n4')];
  const other = aPod('other-1', 'x');
  const all = [...pods.slice(0, 3), ...api, other];
  const services = [
    aService('web', all),
    aService('api', all, { externalTrafficPolicy: 'Cluster' }),
    aService('inside', all, { type: 'ClusterIP', externalTrafficPolicy: 'Cluster', selector: { app: 'api' } }),
    aService('other', all, { type: 'ClusterIP', externalTrafficPolicy: 'Cluster' }),
  ];
  const groups = [aGroup('web', nodes), aGroup('api', nodes)];
  const facts = anObservation({ nodes: [...nodes, aNode('x', { pool: 'other' })], pods: all, services }, groups);
  const plan = planFor(facts, withWaits({ maxConnectionAgeMs: { '*': 60_000 } }));

  test('replaces the nodes of the pool: those without Local endpoints first, then the zones in rotation', () => {
    expect(plan.nodes.map((node) => node.name)).toEqual(['n4', 'n1', 'n3', 'n2']);
    expect(plan.surge).toBe(4);
    expect(plan).toMatchObject({
      oldPool: { name: 'web' },
      newPool: { name: 'web-1-34', cluster: 'c' },
      fromVersion: '1.33',
      toVersion: '1.34',
    });
  });

  test('covers the Services that the pool carries, with their waits', () => {
    expect(plan.services.map((service) => service.service)).toEqual(['default/api', 'default/inside', 'default/web']);
    expect(plan.services[0]).toMatchObject({
      targetGroups: ['arn:api'],
      connectionDrainMs: 315_000,
      forwardedMs: 60_000,
      removeEndpoints: true,
    });
    expect(plan.services[1]).toMatchObject({
      targetGroups: [],
      connectionDrainMs: 0,
      forwardedMs: 0,
      removeEndpoints: true,
    });
    expect(plan.services[2]).toMatchObject({ connectionDrainMs: 315_000, forwardedMs: 0 });
  });

  test('records what each load-balanced Service serves now, and the resulting minimum serving', () => {
    expect(plan.baselines).toEqual([
      { service: 'default/api', targets: 4, endpoints: 2, missing: 0, zones: [] },
      { service: 'default/web', targets: 3, endpoints: 3, missing: 0, zones: [] },
    ]);
    expect(plan.services.map(({ minServing }) => minServing.targets)).toEqual([3, 0, 2]);
  });

  test('has an estimate that is the sum of its parts', () => {
    const sum = plan.estimate.terms.reduce((total, term) => total + term.ms, 0);
    expect(plan.estimate.totalMs).toBe(sum);
    expect(plan.estimate.terms.map((term) => term.name)).toContain('new nodes boot and register');
  });

  test('survives JSON, as a payload must', () => {
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});

describe('a refusal', () => {
  const finding = (rule: string, severity: Finding['severity'], leavesUnprotected?: boolean): Finding => ({
    rule,
    severity,
    subject: 'service default/web',
    message: 'is so',
    hint: 'Change it.',
    ...(leavesUnprotected === undefined ? {} : { leavesUnprotected }),
  });
  const oldPool = { cluster: 'c', region: 'r', provider: 'eks', name: 'web' };

  test('names every blocker', () => {
    expect(
      refusal({ oldPool, findings: [finding('A-1', 'blocker'), finding('A-2', 'blocker'), finding('A-3', 'error')] }),
    ).toEqual({
      code: 'PreflightRefused',
      message:
        "pool web can't be replaced without loss: 2 blockers: A-1 service default/web: is so; A-2 service default/web: is so",
      hint: 'Change it.',
    });
  });

  test('needs a blocker', () => {
    expect(refusal({ oldPool, findings: [finding('A-3', 'error'), finding('A-4', 'warning')] })).toBeUndefined();
  });

  test('what is not protected is listed separately', () => {
    expect(unprotected([finding('A-1', 'warning', true), finding('A-2', 'warning')])).toEqual([
      'service default/web: is so',
    ]);
  });
});
