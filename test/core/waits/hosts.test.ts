import { describe, expect, test } from 'vitest';
import { leavingOf } from '../../../core/policy/members.ts';
import { findAside, type NodesAside, observeHosts } from '../../../core/waits/hosts.ts';
import { aGroup, aNode, anObservation, aPod, aPolicy, aService, aTarget, onePodOnEach } from '../support/facts.ts';
import type { NodeFacts, Policy, TargetGroupFacts, TargetState } from '../support/model.ts';
import { podsBehind } from '../support/pod-targets.ts';

const policy = aPolicy({ target: { ...aPolicy().target, poolName: 'new' } });
const old = aNode('old', { cordoned: true });
const fresh = aNode('new', { pool: 'new' });
const other = aNode('x-1', { pool: 'other' });

function question(
  node: NodeFacts,
  state: TargetState,
  changes: { readonly patient?: boolean; readonly aside?: NodesAside; readonly policy?: Policy } = {},
  group: Partial<TargetGroupFacts> = {},
) {
  const nodes = [old, node];
  const pods = onePodOnEach('web', nodes);
  const targets = [aTarget(old), aTarget(node, { state })];
  const facts = anObservation({ nodes, pods, services: [aService('web', pods)] }, [
    aGroup('web', [], { targets, ...group }),
  ]);
  const asked = changes.policy ?? policy;
  const leaving = leavingOf(facts.cluster, asked, 'forward');
  return { facts, policy: asked, leaving, aside: {}, patient: true, ...changes };
}

function observation(...of: Parameters<typeof question>) {
  const asked = question(...of);
  const [service] = asked.facts.cluster.services;
  if (service === undefined) throw new Error('no Service');
  const { late, aside } = observeHosts(service, asked);
  return { late, aside: Object.values(aside) };
}

test('a node of the new pool has to be healthy, however long it takes', () => {
  expect(observation(fresh, 'healthy')).toEqual({ late: [], aside: [] });
  expect(observation(fresh, 'initial', { patient: false })).toEqual({ late: ['new'], aside: [] });
});

test('one whose exclude label says no is waited for, but not where only the label counts', () => {
  const denying = { ...fresh, deniesExclusion: true };
  expect(observation(denying, 'initial').late).toEqual(['new']);
  expect(observation(denying, 'initial', {}, { ignoresLabelValue: true })).toEqual({ late: [], aside: [] });
});

test('where no target of a group was ever healthy, it only has to be one that was checked', () => {
  const silent = { silent: true } as const;
  for (const state of ['unhealthy', 'unhealthy.draining', 'unused'] as const)
    expect(observation(fresh, state, {}, silent)).toEqual({ late: [], aside: [] });
  for (const state of ['initial', 'draining'] as const)
    expect(observation(fresh, state, {}, silent).late).toEqual(['new']);
  expect(observation(fresh, 'unhealthy', {}, { ...silent, targets: [aTarget(old)] }).late).toEqual(['new']);
  expect(observation(fresh, 'unhealthy', {}, { ...silent, targets: [] })).toEqual({ late: [], aside: [] });
});

test('one in a zone that the load balancer does not cover is set aside', () => {
  expect(observation(fresh, 'unused')).toEqual({
    late: [],
    aside: ['k8s-web sends nothing to a ready pod of default/web on new (unused)'],
  });
});

test('one of another pool is waited for until the patience ends, unless it was not healthy before', () => {
  expect(observation(other, 'unhealthy').late).toEqual(['x-1']);
  expect(observation(other, 'unhealthy', { patient: false }).late).toEqual([]);
  const aside = findAside(question(other, 'unhealthy'));
  expect(Object.keys(aside)).toEqual(['x-1']);
  expect(observation(other, 'unhealthy', { aside }).late).toEqual([]);
});

test('one that was made for one pod is never healthy, and is set aside', () => {
  const fargate = aNode('fargate-1', { pool: undefined, madeForOnePod: true });
  expect(observation(fargate, 'unhealthy')).toEqual({
    late: [],
    aside: ['k8s-web sends nothing to a ready pod of default/web on fargate-1 (unhealthy)'],
  });
});

test('a leaving node need not be healthy', () => {
  expect(observation(aNode('n2', { cordoned: true }), 'initial').late).toEqual([]);
  expect(observation(aNode('n2', { excluded: true }), 'draining').late).toEqual([]);
});

test('one that stays while others of its pool are drained is waited for, however long, unless it was not healthy before', () => {
  const stays = aNode('stays');
  const draining = { ...policy, selection: { nodes: [old], terminate: false } };
  expect(observation(stays, 'healthy', { policy: draining })).toEqual({ late: [], aside: [] });
  expect(observation(stays, 'unhealthy', { policy: draining, patient: false }).late).toEqual(['stays']);
  expect(observation(stays, 'unused', { policy: draining, patient: false }).late).toEqual([]);
  const aside = findAside(question(stays, 'unhealthy', { policy: draining }));
  expect(Object.keys(aside)).toEqual(['stays']);
  expect(observation(stays, 'unhealthy', { policy: draining, aside }).late).toEqual([]);
});

describe('pods that are targets themselves', () => {
  const pods = [aPod('web-1', 'old'), aPod('web-2', 'new'), aPod('web-3', 'x-1')];
  const observe = (
    states: Readonly<Record<string, TargetState | 'gone'>>,
    changes: { readonly aside?: NodesAside } = {},
  ) => {
    const facts = podsBehind(pods, { nodes: [old, fresh, other], states });
    const [service] = facts.cluster.services;
    if (service === undefined) throw new Error('no Service');
    const leaving = leavingOf(facts.cluster, policy, 'forward');
    return observeHosts(service, { facts, policy, leaving, aside: {}, patient: false, ...changes });
  };

  test.each(['initial', 'unhealthy', 'draining', 'gone'] as const)(
    'are waited for on new nodes while they are %s',
    (state) => {
      expect(observe({ 'web-2': state })).toEqual({ late: ['pod default/web-2'], aside: {} });
    },
  );

  test('are not waited for where they leave, in zones that are not covered, and on other pools', () => {
    expect(observe({ 'web-1': 'gone' })).toEqual({ late: [], aside: {} });
    expect(observe({ 'web-2': 'unused' })).toMatchObject({
      late: [],
      aside: {
        [`k8s-web in ${fresh.zone}`]: `k8s-web sends nothing to ready pods of default/web in zone ${fresh.zone} (unused)`,
      },
    });
    expect(observe({ 'web-3': 'unhealthy' })).toMatchObject({
      late: [],
      aside: { 'default/web-3': expect.anything() },
    });
  });

  test('are told of once, however many there are, where their zone is not covered', () => {
    const many = [...pods, aPod('web-4', 'new'), aPod('web-5', 'new')];
    const states = { 'web-2': 'unused', 'web-4': 'unused', 'web-5': 'unused' } as const;
    const facts = podsBehind(many, { nodes: [old, fresh, other], states });
    const leaving = leavingOf(facts.cluster, policy, 'forward');
    expect(Object.keys(findAside({ facts, policy, leaving }))).toEqual([`k8s-web in ${fresh.zone}`]);
  });

  test('serve once they are healthy', () => {
    expect(observe({})).toEqual({ late: [], aside: {} });
  });
});
