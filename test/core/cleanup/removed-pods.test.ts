/** Pods that an ended run has removed from their endpoints leave only when nothing sends to them any more. */
import { describe, expect, test } from 'vitest';
import { decideRemovedPods, type TargetsAsked } from '../../../core/cleanup/removed-pods.ts';
import { aNode, aPod, aWorkload } from '../support/facts.ts';
import type { ClusterFacts, PodFacts, ServiceFacts, TargetState } from '../support/model.ts';
import { podsBehind } from '../support/pod-targets.ts';

const asked = { unread: undefined, isAccepted: false };
const unread = { unread: { why: 'AccessDenied', services: new Set(['default/web']) }, isAccepted: false };
const unreadOther = { unread: { why: 'unknown', services: new Set(['default/api']) }, isAccepted: false };
const hash = 'pod-template-hash';

/** A pod that its ReplicaSet has replaced: nobody owns it any more. */
const replaced = (name: string, changes: Partial<PodFacts> = {}) =>
  aPod(name, 'n1', {
    ownerKind: 'none',
    labels: { [hash]: 'x' },
    endpointsRemoved: { by: 'r1', originalLabels: { app: 'web', [hash]: 'x' } },
    ...changes,
  });
const sibling = (changes: Partial<PodFacts> = {}) =>
  aPod('web-9', 'n2', { labels: { app: 'web', [hash]: 'x' }, ...changes });

function decide(
  pods: readonly PodFacts[],
  state: TargetState | 'gone',
  question: TargetsAsked = asked,
  { service = {}, ...changes }: Partial<ClusterFacts> & { readonly service?: Partial<ServiceFacts> } = {},
) {
  const nodes = [aNode('n1'), aNode('n2')];
  const endpoints = pods.flatMap(({ endpointsRemoved, uid, name, node, ready }) =>
    endpointsRemoved === undefined && node !== undefined
      ? [{ podUid: uid, podName: name, node, ready, serving: ready, terminating: false }]
      : [],
  );
  const states = { 'web-1': state, 'web-2': state };
  const facts = podsBehind(pods, {
    nodes,
    states,
    service: { selector: { app: 'web' }, endpoints, ...service },
    ...changes,
  });
  const { actions, waits } = decideRemovedPods(['r1', 'r2'], facts.cluster, question);
  return {
    does: actions.map(({ kind, pod: { name } }) => `${kind} ${name}`),
    waits: waits.map(({ pod: { name }, reason, passes }) => [name, reason, passes]),
  };
}

describe('a pod that has been replaced', () => {
  test.each(['healthy', 'unhealthy', 'initial', 'draining'] as const)('waits while its target is %s', (state) => {
    expect(decide([replaced('web-1'), sibling()], state)).toEqual({
      does: [],
      waits: [['web-1', `it is still a target of k8s-web (${state})`, true]],
    });
  });

  test.each(['gone', 'unused'] as const)('is evicted when its target is %s', (state) => {
    expect(decide([replaced('web-1'), sibling()], state)).toEqual({ does: ['evict web-1'], waits: [] });
  });

  test('waits while a Service lists it as an endpoint', () => {
    const pod = replaced('web-1');
    const endpoints = [
      { podUid: pod.uid, podName: 'web-1', node: 'n1', ready: true, serving: true, terminating: false },
    ];
    expect(decide([pod, sibling()], 'gone', asked, { service: { endpoints } })).toEqual({
      does: [],
      waits: [['web-1', 'it is still an endpoint of default/web', true]],
    });
  });

  test('gets its labels back instead while its replacement is not ready, and only as many pods as replacements are missing', () => {
    const pods = [replaced('web-1'), replaced('web-2')];
    expect(decide([...pods, sibling({ ready: false })], 'healthy')).toEqual({
      does: ['restore-endpoints web-1'],
      waits: [['web-2', 'it is still a target of k8s-web (healthy)', true]],
    });
    expect(decide([...pods, sibling({ ready: false, labels: { app: 'web', [hash]: 'y' } })], 'gone').does).toEqual([
      'evict web-1',
      'evict web-2',
    ]);
    expect(decide([replaced('web-1', { ready: false }), sibling({ ready: false })], 'gone').does).toEqual([
      'evict web-1',
    ]);
  });

  test('stays out of endpoints where another one has returned for the same replacement, or returns now', () => {
    const late = sibling({ ready: false });
    const returned = aPod('web-2', 'n1', { ownerKind: 'none', labels: { app: 'web', [hash]: 'x' } });
    expect(decide([replaced('web-1'), returned, late], 'gone').does).toEqual(['evict web-1']);
    const owned = { ...returned, ownerKind: 'ReplicaSet' as const };
    const workloads = [aWorkload('web', 1)];
    expect(decide([replaced('web-1'), owned, late], 'gone', asked, { workloads }).does).toEqual(['evict web-1']);
    const other = replaced('web-2', { endpointsRemoved: { by: 'r2', originalLabels: { app: 'web', [hash]: 'x' } } });
    expect(decide([replaced('web-1'), other, late], 'gone').does).toEqual(['restore-endpoints web-1', 'evict web-2']);
  });

  test('waits where its load balancers could not be asked, unless an operator accepts that', () => {
    const pods = [replaced('web-1'), sibling()];
    const unasked = { podTargets: [] };
    expect(decide(pods, 'gone', unread, unasked).waits).toEqual([
      ['web-1', 'the load balancers of default/web may send to it, and could not be asked', false],
    ]);
    expect(decide(pods, 'gone', { ...unread, isAccepted: true }, unasked).does).toEqual(['evict web-1']);
    expect(decide(pods, 'gone', unread, { ...unasked, service: { type: 'ClusterIP' } }).does).toEqual(['evict web-1']);
    expect(decide(pods, 'gone', unreadOther, unasked).does).toEqual(['evict web-1']);
  });
});

test('a pod that its controller has not replaced gets its labels back, whatever its targets are', () => {
  const own = replaced('web-1', { ownerKind: 'StatefulSet' });
  for (const question of [asked, unread])
    expect(decide([own], 'healthy', question)).toEqual({ does: ['restore-endpoints web-1'], waits: [] });
});
