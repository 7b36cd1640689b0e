import { describe, expect, test } from 'vitest';
import {
  decideEarlyRemoval,
  decideEndpointRemoval,
  type EndpointRemovalQuestion,
  findServingAgain,
  toleratesDisruption,
} from '../../../core/eviction/leftover-endpoints.ts';
import { aCluster, aNode, aPod, aPolicy, aService, nodeRefOf } from '../support/facts.ts';
import type { PodFacts, ServiceFacts } from '../support/model.ts';

const tainted = aNode('n1', { ownership: { disruptedBy: 'run' } });

function question(
  pod: Partial<PodFacts>,
  changes: Partial<EndpointRemovalQuestion> & { node?: typeof tainted } = {},
): EndpointRemovalQuestion {
  const node = changes.node ?? tainted;
  const pods = [
    aPod('agent-1', 'n1', { ownerKind: 'DaemonSet', ownerName: 'agent', ...pod }),
    aPod('agent-2', 'n2', { ownerKind: 'DaemonSet' }),
  ];
  const facts = aCluster({
    nodes: [node],
    pods,
    services: [aService('agent', pods, { externalTrafficPolicy: 'Cluster' })],
  });
  return {
    facts,
    policy: aPolicy(),
    run: 'run',
    now: 100_000,
    removedAt: {},
    unreadySince: {},
    drainedAt: {},
    ...changes,
    node: nodeRefOf(node),
  };
}

describe('a DaemonSet pod that is an endpoint', () => {
  test('waits for the taint, so that no new pod comes', () => {
    const decision = decideEndpointRemoval(question({}, { node: aNode('n1') }));
    expect(decision).toMatchObject({
      taint: true,
      actions: [],
      remaining: 1,
      reason: 'default/agent-1 must leave n1',
    });
  });

  test('is then removed from its endpoints', () => {
    expect(decideEndpointRemoval(question({})).actions).toMatchObject([
      { kind: 'remove-endpoints', pod: { name: 'agent-1' }, removeLabels: ['app'] },
    ]);
  });

  test.each([
    ['is left alone until that has propagated', 100_000 - 17_999, []],
    ['is deleted once that has propagated', 100_000 - 18_000, [{ kind: 'delete' }]],
  ])('%s', (_, since, actions) => {
    const endpointsRemoved = { by: 'run', originalLabels: { app: 'agent' } };
    const decision = decideEndpointRemoval(
      question({ endpointsRemoved, labels: {}, ownerKind: 'none' }, { removedAt: { 'uid-agent-1': since } }),
    );
    expect(decision.actions).toMatchObject(actions);
    expect(decision.remaining).toBe(1);
  });

  test('is waited for while it is not ready just now: callers may be sent to it, or will be again', () => {
    const asked = question({ ready: false }, { unreadySince: { 'uid-agent-1': 100_000 - 17_999 } });
    expect(decideEndpointRemoval(asked)).toMatchObject({ taint: false, actions: [], remaining: 1 });
    const later = question({ ready: false }, { unreadySince: { 'uid-agent-1': 100_000 - 18_000 } });
    expect(decideEndpointRemoval(later)).toMatchObject({ actions: [], remaining: 0 });
  });

  test('is nothing that could not be protected where it is not ready and tolerates every taint', () => {
    const asked = question({ ready: false, tolerations: [{ operator: 'Exists' }] });
    expect(decideEndpointRemoval(asked)).toMatchObject({ remaining: 0, unprotected: [] });
  });

  test('is left alone while its Service still lists it', () => {
    const endpointsRemoved = { by: 'run', originalLabels: { app: 'agent' } };
    const asked = question({ endpointsRemoved, labels: {}, ownerKind: 'none' }, { removedAt: { 'uid-agent-1': 0 } });
    const facts = { ...asked.facts, services: [aService('agent', [aPod('agent-1', 'n1')])] };
    expect(decideEndpointRemoval({ ...asked, facts })).toMatchObject({
      actions: [],
      reason: 'default/agent-1 leaving n1; default/agent-1 was removed from endpoints but is still an endpoint',
    });
  });

  test('is removed where somebody wrote it into a slice by hand, although no label removes it there', () => {
    const asked = question({});
    const services = [aService('agent', [aPod('agent-1', 'n1')], { selector: {} })];
    expect(decideEndpointRemoval({ ...asked, facts: { ...asked.facts, services } }).actions).toMatchObject([
      { kind: 'delete' },
    ]);
  });

  test('is deleted directly when its preStop outlasts the propagation', () => {
    expect(decideEndpointRemoval(question({ preStopSeconds: 3 })).actions).toMatchObject([{ kind: 'delete' }]);
  });

  test('is waited for while it is terminating and still serves', () => {
    expect(decideEndpointRemoval(question({ terminating: true }))).toMatchObject({ actions: [], remaining: 1 });
  });

  test.each([
    ['tolerates everything', { tolerations: [{ operator: 'Exists' }] }],
    ['is run by the kubelet', { mirror: true, ownerKind: 'Node' }],
  ] as const)('is not protected when it %s', (_, change) => {
    const asked = question(change);
    expect(decideEndpointRemoval(asked)).toMatchObject({
      taint: false,
      actions: [],
      remaining: 0,
      unprotected: ['default/agent-1'],
    });
    expect(decideEndpointRemoval(asked).reason).toBe("only default/agent-1 can't be removed");
  });
});

describe('no endpoints are removed', () => {
  test('when a DaemonSet pod is no endpoint', () => {
    expect(decideEndpointRemoval(question({ labels: { app: 'other' } }))).toMatchObject({
      remaining: 0,
      reason: 'no endpoint is left on n1',
    });
  });

  test('when the rule is disabled', () => {
    const policy = aPolicy({ disabledRules: ['remove-daemonset-endpoints'] });
    expect(decideEndpointRemoval(question({}, { policy }))).toMatchObject({ taint: false, actions: [], remaining: 0 });
  });
});

test.each([
  [[{ operator: 'Exists' }], true],
  [[{ operator: 'Exists', effect: 'NoSchedule' }], true],
  [[{ operator: 'Exists', effect: 'NoExecute' }], false],
  [[{ key: 'nodeferry.dev/disrupted', operator: 'Exists' }], true],
  [[{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }], false],
  [[], false],
] as const)('tolerations %j tolerate the disrupted taint: %s', (tolerations, expected) => {
  expect(toleratesDisruption(tolerations)).toBe(expected);
});

describe('a DaemonSet pod that can serve nobody', () => {
  const endpointsRemoved = { labels: {}, endpointsRemoved: { by: 'run', originalLabels: { app: 'agent' } } };

  test.each([
    ['crashes again and again', { ready: false, phase: 'Running' }],
    ['has failed', { ready: false, phase: 'Failed' }],
    ['is out of its endpoints and stuck terminating', { ...endpointsRemoved, terminating: true, killedAt: 40_000 }],
  ] as const)('does not block its node when it %s', (_, pod) => {
    const asked = question(pod, { unreadySince: { 'uid-agent-1': 0 } });
    expect(decideEndpointRemoval(asked)).toMatchObject({ taint: false, actions: [], remaining: 0 });
  });

  test('is waited for while it may use its grace period', () => {
    const leaving = question({ ...endpointsRemoved, terminating: true, killedAt: 90_000 });
    expect(decideEndpointRemoval(leaving)).toMatchObject({ remaining: 1 });
  });
});

describe('pods that serve again after their endpoints were removed', () => {
  const names = (pod: Partial<PodFacts>, policy = aPolicy()) => {
    const { node, facts } = question(pod);
    return findServingAgain(node, facts, policy);
  };

  test('are named', () => {
    expect(names({})).toEqual(['default/agent-1']);
  });

  test.each([
    ['are not ready', { ready: false }],
    ['are terminating', { terminating: true }],
    ['tolerate every taint', { tolerations: [{ operator: 'Exists' }] }],
    ['don’t belong to a DaemonSet', { ownerKind: 'ReplicaSet' }],
  ] as const)('but not those that %s', (_, pod) => {
    expect(names(pod)).toEqual([]);
  });

  test('nor any where the rule is disabled', () => {
    expect(names({}, aPolicy({ disabledRules: ['remove-daemonset-endpoints'] }))).toEqual([]);
  });
});

describe('an endpoint without a pod', () => {
  const written = { podUid: undefined, podName: undefined, node: 'n1', ready: true, serving: true, terminating: false };
  const onlyOf = (change: Parameters<typeof aService>[2]) => {
    const services = [aService('legacy', [], change)];
    return { ...question({}), facts: aCluster({ nodes: [tainted], services }) };
  };

  test('that somebody wrote by hand cannot be removed, and is reported', () => {
    expect(decideEndpointRemoval(onlyOf({ selector: {}, endpoints: [written] }))).toMatchObject({
      remaining: 0,
      actions: [],
      unprotected: ['an endpoint of default/legacy that was written by hand'],
      reason: "only an endpoint of default/legacy that was written by hand can't be removed",
    });
  });

  test('that still exists because Kubernetes has yet to catch up is waited for', () => {
    expect(decideEndpointRemoval(onlyOf({ endpoints: [{ ...written, podUid: 'uid-gone' }] }))).toMatchObject({
      remaining: 1,
      reason: 'default/legacy still list endpoints on n1 whose pods are gone',
    });
  });

  test('is nobody’s concern on another node, or when callers are not sent to it', () => {
    const elsewhere = onlyOf({ selector: {}, endpoints: [{ ...written, node: 'n2' }] });
    const closed = onlyOf({ selector: {}, endpoints: [{ ...written, ready: false, serving: false }] });
    for (const asked of [elsewhere, closed])
      expect(decideEndpointRemoval(asked).reason).toBe('no endpoint is left on n1');
  });
});

describe('while the last pods of a node end', () => {
  const early = (pod: Partial<PodFacts>, service: Partial<ServiceFacts> = {}, node = tainted) => {
    const asked = question(pod, { node, removedAt: { 'uid-agent-1': 0 } });
    const services = asked.facts.services.map((one) => ({ ...one, ...service }));
    return decideEarlyRemoval({ ...asked, facts: { ...asked.facts, services } });
  };

  test('the removal of endpoints begins: the taint, then their labels', () => {
    expect(early({}, {}, aNode('n1'))).toEqual({ taint: true, actions: [] });
    expect(early({})).toMatchObject({
      taint: false,
      actions: [{ kind: 'remove-endpoints', pod: { name: 'agent-1' } }],
    });
  });

  test('nothing ends that they may need', () => {
    const endpointsRemoved = { by: 'run', originalLabels: { app: 'agent' } };
    expect(early({ endpointsRemoved, labels: {} })).toEqual({ taint: false, actions: [] });
    expect(early({ preStopSeconds: 3 })).toEqual({ taint: false, actions: [] });
  });

  test('endpoints stay to which callers on the node are sent', () => {
    expect(early({}, { internalTrafficPolicy: 'Local' }, aNode('n1'))).toEqual({ taint: false, actions: [] });
    expect(early({}, { internalTrafficPolicy: 'Local' })).toEqual({ taint: false, actions: [] });
  });
});
