import { describe, expect, test } from 'vitest';
import { aBudget, aNode, aPod, aPolicy, aService, withDrain } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';
import { decide, elsewhere, kinds, web } from './eviction-scene.ts';

/** 3 s for endpoints to propagate plus 15 s margin. */
const endpointRemovalMs = 18_000;

describe('which pods leave', () => {
  test('pods of other nodes are left alone', () => {
    expect(decide({ pods: elsewhere })).toMatchObject({ actions: [], remaining: 0, reason: 'n1 has no pod left' });
  });

  test('pods that no Service selects are evicted at once and come first', () => {
    const pods = [...web({ labels: { app: 'web' }, preStopSeconds: 5 }), aPod('batch-1', 'n1'), aPod('batch-2', 'n1')];
    expect(kinds(decide({ pods, services: [aService('web', pods)] }))).toEqual([
      'evict batch-1',
      'evict batch-2',
      'evict web-1',
    ]);
  });

  test('finished pods are deleted and refused ones are reported', () => {
    const pods = [aPod('done-1', 'n1', { phase: 'Succeeded' }), aPod('bare-1', 'n1', { ownerKind: 'none' })];
    const round = decide({ pods });
    expect(kinds(round)).toEqual(['delete done-1']);
    expect(round.remaining).toBe(2);
    expect(round.blocked).toMatchObject([{ pod: { name: 'bare-1' }, budget: undefined }]);
    expect(round.reason).toContain('default/bare-1: no controller would start it again');
  });

  test('terminating pods are waited for and DaemonSet pods are not', () => {
    const pods = [aPod('web-1', 'n1', { terminating: true }), aPod('agent-1', 'n1', { ownerKind: 'DaemonSet' })];
    expect(decide({ pods })).toMatchObject({ actions: [], blocked: [], remaining: 1, reason: '1 pod left on n1' });
  });

  test('a DaemonSet pod that fails again at once does not block the node', () => {
    const agent = { ownerKind: 'DaemonSet', phase: 'Failed', ready: false } as const;
    expect(decide({ pods: [aPod('agent-1', 'n1', agent)] })).toMatchObject({ actions: [], remaining: 0 });
  });
});

describe('pods that are stuck terminating', () => {
  const hanging = { terminating: true, killedAt: 40_000 } as const;

  test('are named with what helps', () => {
    const round = decide({ nodes: [aNode('n1', { unknownSince: 5_000 })], pods: [aPod('web-1', 'n1', hanging)] });
    expect(round).toMatchObject({ remaining: 1, actions: [] });
    expect(round.blocked).toMatchObject([
      { pod: { name: 'web-1' }, reason: expect.stringContaining('the kubelet of n1 has not been heard from') },
    ]);
  });

  test('do not count when nothing but their object is left, and are reported', () => {
    const pods = [aPod('web-1', 'n1', { ...hanging, stopped: true, finalizers: ['example.com/keep'] })];
    expect(decide({ pods })).toMatchObject({
      remaining: 0,
      leftovers: ['default/web-1: its containers have stopped, and finalizers keep its object (example.com/keep)'],
    });
  });

  test.each([
    ['do not block others of a Service, because each has its replacement', {}, ['remove-endpoints web-1']],
    ['block others of a StatefulSet, which starts no replacement beside them', { ownerKind: 'StatefulSet' }, []],
  ] as const)('%s', (_, owner, expected) => {
    const pods = [aPod('web-1', 'n1'), ...elsewhere];
    const facts = { pods: [...pods, aPod('web-4', 'n4', { ...hanging, ...owner })], services: [aService('web', pods)] };
    expect(kinds(decide(facts))).toEqual(expected);
  });
});

describe('pods that run to completion', () => {
  const policy = aPolicy(withDrain({ jobs: 'wait' }));
  const job = aPod('sum-1', 'n1', { ownerKind: 'Job', ownerName: 'sum' });

  test('are reported and not touched, while others leave', () => {
    const round = decide({ pods: [job, aPod('web-1', 'n1')] }, { policy });
    expect(kinds(round)).toEqual(['evict web-1']);
    expect(round).toMatchObject({ remaining: 2, completes: false });
    expect(round.blocked).toMatchObject([
      { pod: { name: 'sum-1' }, reason: expect.stringContaining('spec.drain.jobs') },
    ]);
  });

  test('are waited for by themselves when nothing else is left', () => {
    expect(decide({ pods: [job] }, { policy })).toMatchObject({ actions: [], remaining: 1, completes: true });
    const ended = { ...job, phase: 'Succeeded' } as const;
    expect(kinds(decide({ pods: [ended] }, { policy }))).toEqual(['delete sum-1']);
  });
});

describe('priorities', () => {
  const critical = { priority: 2_000_000_000 };

  test('pods of lower priority come first', () => {
    const pods = [
      aPod('a-1', 'n1', { priority: 100 }),
      aPod('b-1', 'n1'),
      aPod('c-1', 'n1', { priority: -5 }),
      aPod('d-1', 'n1', { priority: 1_999_999_999 }),
    ];
    expect(kinds(decide({ pods }))).toEqual(['evict c-1', 'evict b-1', 'evict a-1', 'evict d-1']);
  });

  test.each([
    ['one is to leave', {}, ['evict web-1']],
    ['one is leaving', { terminating: true, killedAt: 90_000 }, []],
    ['one is blocked by its budget', { ready: true }, []],
  ])('a system-critical pod stays while %s', (what, other, expected) => {
    const pods = [aPod('web-1', 'n1', other), aPod('dns-1', 'n1', critical)];
    const budgets = what.includes('budget') ? [aBudget('web', pods.slice(0, 1), 1)] : [];
    const round = decide({ pods, budgets });
    expect(kinds(round)).toEqual(expected);
    expect(round.remaining).toBe(2);
  });

  test.each([
    ['nothing else is left', {}],
    ['only pods are left that run to completion', { safeToEvict: 'on-completion' }],
    ['only pods are left that are refused', { ownerKind: 'none' }],
    ['only pods are left that are stuck', { terminating: true, killedAt: 0 }],
    ['only pods are left that belong to the node', { ownerKind: 'DaemonSet' }],
  ] as const)('a system-critical pod leaves when %s', (what, other) => {
    const others = what.startsWith('nothing') ? [] : [aPod('web-1', 'n1', other)];
    expect(kinds(decide({ pods: [...others, aPod('dns-1', 'n1', critical)] }))).toEqual(['evict dns-1']);
  });

  test('a pod that is out of its endpoints already is evicted', () => {
    const dns = aPod('dns-1', 'n1', { ...critical, labels: {}, endpointsRemoved: { by: 'run', originalLabels: {} } });
    const round = decide({ pods: [aPod('web-1', 'n1'), dns] }, { removedAt: { [dns.uid]: 0 } });
    expect(kinds(round)).toEqual(['evict web-1', 'evict dns-1']);
  });
});

describe('removing pods from their endpoints first', () => {
  test('a ReplicaSet pod behind a Service is removed from its endpoints before it is evicted', () => {
    const pods = web();
    const round = decide({ pods, services: [aService('web', pods)] });
    expect(round.actions).toEqual([
      {
        kind: 'remove-endpoints',
        pod: { namespace: 'default', name: 'web-1', uid: 'uid-web-1' },
        removeLabels: ['app'],
      },
    ]);
  });

  const endpointsRemoved = {
    endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } },
    labels: {},
    ownerKind: 'none',
  } as const;

  test.each([
    ['not before the change has propagated', { 'uid-web-1': 100_000 - endpointRemovalMs + 1 }, []],
    ['once the change has propagated', { 'uid-web-1': 100_000 - endpointRemovalMs }, ['evict web-1']],
    ['not while nobody knows since when', {}, []],
  ])('a removed pod is evicted %s', (_, removedAt, expected) => {
    const round = decide({ pods: web(endpointsRemoved), services: [aService('web', elsewhere)] }, { removedAt });
    expect(kinds(round)).toEqual(expected);
    expect(round.remaining).toBe(1);
  });

  test('a pod whose label somebody restores is removed from its endpoints again, and that is reported', () => {
    const pods = web({ ...endpointsRemoved, labels: { app: 'web' } });
    const round = decide({ pods, services: [aService('web', pods)] }, { removedAt: { 'uid-web-1': 0 } });
    expect(round.actions).toMatchObject([{ kind: 'remove-endpoints', pod: { name: 'web-1' }, removeLabels: ['app'] }]);
    expect(round.reason).toContain('default/web selects it again by label app, which somebody has added');
  });

  test('a removed pod that still is an endpoint stays, however long ago it was removed', () => {
    const services = [aService('web', [aPod('web-1', 'n1'), ...elsewhere])];
    const round = decide({ pods: web(endpointsRemoved), services }, { removedAt: { 'uid-web-1': 0 } });
    expect(kinds(round)).toEqual([]);
    expect(round.blocked).toMatchObject([{ reason: expect.stringContaining('still an endpoint') }]);
  });

  test('a pod is evicted directly when its preStop outlasts the propagation', () => {
    const pods = web({ preStopSeconds: 3 });
    expect(kinds(decide({ pods, services: [aService('web', pods)] }))).toEqual(['evict web-1']);
  });
});

describe('a pod that is evicted directly, while callers are sent to it', () => {
  const stateful = { ownerKind: 'StatefulSet', ownerName: 'web' } as const;
  const kept = withDrain({ keepEndpoints: ['default/web'] });

  test.each([
    [
      'of a StatefulSet, whose next pod has the same name',
      stateful,
      {},
      'a StatefulSet starts no replacement beside it',
    ],
    ['of a controller that nobody knows', { ownerKind: 'other' }, {}, 'no ReplicaSet owns it'],
    ['that the policy keeps in its endpoints', {}, kept, 'spec.drain.keepEndpoints names it'],
  ] as const)('%s is reported', (_, pod, policy, why) => {
    const pods = web(pod);
    const round = decide({ pods, services: [aService('web', pods)] }, { policy: aPolicy(policy) });
    expect(round.actions).toMatchObject([
      { kind: 'evict', unprotected: `pod default/web-1 left while default/web listed it: ${why}` },
    ]);
  });

  test.each([
    ['serves on for long enough', { ...stateful, preStopSeconds: 3 }, {}],
    ['has not been a ready endpoint for long', { ...stateful, ready: false }, {}],
    ['is unprotected by a rule that is disabled', {}, { disabledRules: ['remove-endpoints-before-eviction'] }],
  ] as const)('but not one that %s', (_, pod, policy) => {
    const pods = web(pod);
    const asked = { policy: aPolicy(policy), unreadySince: { 'uid-web-1': 0 } };
    const round = decide({ pods, services: [aService('web', pods)] }, asked);
    expect(round.actions).toEqual([{ kind: 'evict', pod: expect.objectContaining({ name: 'web-1' }) }]);
  });
});

describe('a pod that is not removed from its endpoints, while slices lag', () => {
  const serving = { preStopSeconds: 5 };
  const pods = web(serving);
  const services = [aService('web', pods)];
  const budgets = [aBudget('web', pods, 1)];
  const leaving = [pods[0], aPod('web-2', 'n2', { ...serving, terminating: true }), pods[2]].filter(
    (pod) => pod !== undefined,
  );

  test.each([
    ['was told to stop', leaving],
    ['is gone', pods.filter(({ name }) => name !== 'web-2')],
  ])('stays while its Service lists one as ready that %s', (_, seen) => {
    const round = decide({ pods: seen, services, budgets });
    expect(round.actions).toEqual([]);
    expect(round.blocked).toMatchObject([{ pod: { name: 'web-1' }, budget: undefined }]);
    expect(round.reason).toBe(
      '1 pod left on n1; default/web-1: the endpoint slices of default/web lag: they list web-2 as ready, although it was told to stop',
    );
  });

  test('leaves when they have caught up, or don’t count', () => {
    for (const [seen, service] of [
      [leaving, aService('web', leaving)],
      [leaving, aService('web', pods, { publishNotReadyAddresses: true })],
      [[...leaving, aPod('api-1', 'n2')], aService('web', leaving)],
    ] as const)
      expect(kinds(decide({ pods: seen, services: [service], budgets }))).toEqual(['evict web-1']);
    const without = { policy: aPolicy({ disabledRules: ['remove-endpoints-before-eviction'] }) };
    expect(kinds(decide({ pods: leaving, services, budgets }, without))).toEqual(['evict web-1']);
  });
});

describe('after the API server was unavailable', () => {
  const { stabilizationAfterOutageMs, endpointPropagationMs, marginMs } = aPolicy().waits;
  const now = 100_000 + stabilizationAfterOutageMs + endpointPropagationMs + marginMs;
  const unheard = 'the API server was unavailable, and kube-proxies may need another 1s to reconnect';
  const endpointsRemoved = { labels: {}, endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } } };
  const evicted = (pod: Partial<PodFacts>, outageAt: number) => {
    const pods = web(pod);
    const facts = { pods, services: [aService('web', pods)], budgets: [aBudget('web', pods, 1)], outageAt };
    return decide(facts, { now, removedAt: { 'uid-web-1': 0 }, unreadySince: { 'uid-web-1': 0 } });
  };

  test.each([
    ['that is out of its endpoints', endpointsRemoved],
    ['that serves on', { preStopSeconds: 30 }],
  ])('no pod is told to stop until every kube-proxy has reconnected and caught up, not even one %s', (_, pod) => {
    const early = evicted(pod, 101_000);
    expect(early.actions).toEqual([]);
    expect(early.blocked).toMatchObject([{ pod: { name: 'web-1' }, reason: unheard }]);
    expect(kinds(evicted(pod, 100_000))).toEqual(['evict web-1']);
  });

  test('one that is not ready may be believed to be, and one that must leave its endpoints does', () => {
    expect(evicted({ ready: false }, 101_000)).toMatchObject({ actions: [], blocked: [] });
    expect(kinds(evicted({ ready: false }, 100_000))).toEqual(['evict web-1']);
    expect(kinds(evicted({}, 101_000))).toEqual(['remove-endpoints web-1']);
  });
});

describe('a pod behind a Service that is not ready', () => {
  const pods = web({ ready: false });
  const behind = { pods, services: [aService('web', pods)] };

  test.each([
    ['for the first time', {}],
    ['for less time than kube-proxies need to receive it', { 'uid-web-1': 100_000 - endpointRemovalMs + 1 }],
  ])('stays while that is observed %s: it may be ready again soon', (_, unreadySince) => {
    const round = decide(behind, { unreadySince });
    expect(kinds(round)).toEqual([]);
    expect(round).toMatchObject({ remaining: 1, blocked: [] });
  });

  test('is evicted when every kube-proxy has the update', () => {
    expect(kinds(decide(behind, { unreadySince: { 'uid-web-1': 100_000 - endpointRemovalMs } }))).toEqual([
      'evict web-1',
    ]);
  });

  test.each([
    ['no slice has it', { services: [aService('web', elsewhere)] }, {}],
    ['the rule is disabled', {}, { disabledRules: ['remove-endpoints-before-eviction'] }],
  ] as const)('is evicted at once where %s', (_, change, policy) => {
    expect(kinds(decide({ ...behind, ...change }, { policy: aPolicy(policy) }))).toEqual(['evict web-1']);
  });
});
