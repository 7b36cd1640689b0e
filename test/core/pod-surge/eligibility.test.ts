import { describe, expect, test } from 'vitest';
import { decideEligibility } from '../../../core/pod-surge/eligibility.ts';
import type { PodSurgePolicy } from '../../../core/policy/policy.ts';
import {
  aBudget,
  aCluster,
  aNode,
  aPod,
  aPolicy,
  aService,
  aWorkload,
  released,
  withPodSurge,
} from '../support/facts.ts';
import type { ClusterFacts, PodFacts } from '../support/model.ts';

const web = aWorkload('web', 2, { surge: 1 });
const agent = aWorkload('agent', 2, { key: 'DaemonSet default/agent', kind: 'DaemonSet' });

function decide(
  pod: Partial<PodFacts> = {},
  cluster: Partial<ClusterFacts> = {},
  shared: readonly string[] = [],
  podSurge: PodSurgePolicy = withPodSurge().podSurge,
) {
  const facts = aCluster({ workloads: [web], ...cluster });
  const context = { cluster: facts, policy: aPolicy({ podSurge }), sharedVolumeClaims: new Set(shared) };
  return decideEligibility(aPod('web-1', 'n1', { ownerUid: 'uid-rs', ...pod }), context);
}

test('a pod of a Deployment is released by removing the label that only its ReplicaSet uses', () => {
  const from = {
    label: 'pod-template-hash',
    value: 'x',
    replicaSet: { name: 'web-rs', uid: 'uid-rs' },
    workload: 'Deployment default/web',
  };
  expect(decide()).toEqual({ eligible: true, from });
  const beside = {
    services: [aService('web', [])],
    workloads: [
      web,
      { ...agent, takes: { matchLabels: { app: 'agent' } } },
      { ...agent, key: 'ReplicaSet default/web-1', takes: { matchLabels: { app: 'web', 'pod-template-hash': 'x' } } },
      { ...agent, namespace: 'other', takes: { matchLabels: { app: 'web' } } },
    ],
    budgets: [{ ...aBudget('web', [], 1), selectorKeys: ['app'] }],
  };
  expect(decide({}, beside)).toEqual({ eligible: true, from });
});

describe('a pod is not surged', () => {
  const hash = { app: 'web', 'pod-template-hash': 'x' };
  const byHash = {
    key: 'NetworkPolicy default/old',
    selectors: [{ labels: { matchExpressions: [{ key: 'pod-template-hash', operator: 'Exists' }] } }],
  };
  const doubling = {
    key: 'HorizontalPodAutoscaler default/web',
    workload: 'Deployment default/web',
    counts: 'doubles',
  };
  const alone = { ownerKind: 'ReplicaSet', workload: 'ReplicaSet default/web-rs' } as const;
  const cases: readonly (readonly [string, Partial<PodFacts>, Partial<ClusterFacts>, string])[] = [
    ['of a StatefulSet', { ownerKind: 'StatefulSet' }, {}, 'a StatefulSet controls it'],
    ['of a Job', { ownerKind: 'Job' }, {}, 'a Job controls it'],
    ['of an operator', { ownerKind: 'other' }, {}, 'a custom controller controls it'],
    ['that is bare', { ownerKind: 'none' }, {}, 'nothing controls it'],
    ['that was released already', released('web-1', 'run'), {}, 'nothing controls it'],
    ['of a ReplicaSet without a Deployment', alone, {}, 'a ReplicaSet controls it'],
    [
      'whose strategy allows none beside it',
      {},
      { workloads: [{ ...web, surge: 0 }] },
      'the strategy of Deployment default/web allows no pod above its replicas',
    ],
    [
      'whose Deployment rolls out',
      {},
      { workloads: [{ ...web, rollingOut: true }] },
      'a rollout of Deployment default/web is in progress',
    ],
    [
      'whose Deployment has stopped in a rollout',
      {},
      { workloads: [{ ...web, stalled: 'timed out' }] },
      'the rollout of Deployment default/web has stalled (timed out)',
    ],
    ['whose Deployment is paused', {}, { workloads: [{ ...web, paused: true }] }, 'Deployment default/web is paused'],
    ['without the label', { labels: { app: 'web' } }, {}, 'does not select it by label pod-template-hash'],
    [
      'that a network policy knows by the label',
      {},
      { networkPolicies: [byHash] },
      'NetworkPolicy default/old selects by label pod-template-hash',
    ],
    [
      'that a DaemonSet would take',
      {},
      { workloads: [web, { ...agent, takes: { matchLabels: { app: 'web' } } }] },
      'DaemonSet default/agent would adopt it',
    ],
    [
      'that a ReplicationController would take',
      {},
      {
        adopters: [
          { key: 'ReplicationController default/old', namespace: 'default', takes: { matchLabels: { app: 'web' } } },
        ],
      },
      'ReplicationController default/old would adopt it',
    ],
    [
      'of a Rollout',
      alone,
      { workloads: [{ ...web, key: 'ReplicaSet default/web-rs', keptBy: 'Rollout default/web' }] },
      'Rollout default/web controls it',
    ],
    [
      'whose autoscaler would double it',
      {},
      { autoscalers: [doubling] },
      'HorizontalPodAutoscaler default/web doubles',
    ],
    ['whose ReplicaSet asks for less', { ownerSelector: { app: 'web' } }, {}, 'does not select it by label'],
    [
      'that a Service knows by the label',
      {},
      { services: [aService('web', [], { selector: hash })] },
      'default/web selects by label pod-template-hash, which a released pod loses',
    ],
    [
      'that a budget knows by the label',
      {},
      { budgets: [{ ...aBudget('web', [], 1), selectorKeys: ['pod-template-hash'] }] },
      'budget default/web selects by label pod-template-hash',
    ],
    [
      'with a volume of its own',
      { volumeClaims: ['data'] },
      {},
      'only one node at a time can mount its volume of data',
    ],
    ['that keeps its zone to itself', { keepsApartBy: ['zone', 'kubernetes.io/hostname'] }, {}, 'in the same zone'],
    ['that is not ready', { ready: false }, {}, 'it is not ready'],
    ['that leaves', { terminating: true }, {}, 'it is already terminating'],
  ];

  test.each(cases)('%s', (_, pod, cluster, reason) => {
    expect(decide(pod, cluster)).toMatchObject({ eligible: false, reason: expect.stringContaining(reason) });
  });

  test.each([
    [{}, { workloads: [{ ...web, surge: 0 }] }, 'maxSurge above 0'],
    [{}, { workloads: [{ ...web, stalled: 'timed out' }] }, 'kubectl -n default rollout undo deployment/web'],
    [{}, { workloads: [{ ...web, paused: true }] }, 'kubectl -n default rollout resume deployment/web'],
    [{}, { services: [aService('web', [], { selector: hash })] }, 'labels of the application'],
    [{ volumeClaims: ['data'] }, {}, 'ReadWriteMany'],
    [{ keepsApartBy: ['zone'] }, {}, 'kubernetes.io/hostname'],
  ] as const)('and the hint says what would make it possible, if anything (%#)', (pod, cluster, hint) => {
    expect(decide(pod, cluster)).toMatchObject({ eligible: false, hint: expect.stringContaining(hint) });
  });

  test.each([
    [{ mode: 'off', max: 1 }, 'switches pod surge off for default/web', 'Set mode auto in'],
    [{ mode: 'auto', max: 0 }, 'no pod above its replicas', 'Raise max in'],
  ] as const)('when the policy says so: %o', (terms, reason, hint) => {
    const { podSurge } = withPodSurge();
    const answer = { eligible: false, reason: expect.stringContaining(reason) };
    expect(decide({}, {}, [], { ...podSurge, workloads: { 'default/web': terms } })).toMatchObject({
      ...answer,
      hint: `${hint} spec.podSurge.workloads['default/web'].`,
    });
    expect(decide({}, {}, [], { ...podSurge, ...terms })).toMatchObject(answer);
  });

  test('yet, during a rollout or while it is not ready', () => {
    expect(decide({}, { workloads: [{ ...web, rollingOut: true }] })).toMatchObject({ passes: true });
    expect(decide({ ready: false })).toMatchObject({ eligible: false, passes: true });
    expect(decide({ volumeClaims: ['data'] })).not.toHaveProperty('passes');
  });
});

test('anti-affinity by host and shared volumes do not prevent a surge', () => {
  expect(decide({ keepsApartBy: ['kubernetes.io/hostname'] }).eligible).toBe(true);
  expect(decide({ volumeClaims: ['data'] }, {}, ['default/data']).eligible).toBe(true);
  expect(decide({ volumeClaims: ['data', 'own'] }, {}, ['default/data']).eligible).toBe(false);
  const elsewhere = [
    { ...aBudget('web', [], 1), namespace: 'other', selectorKeys: ['pod-template-hash'] },
    aBudget('api', [], 1),
  ];
  expect(decide({}, { budgets: elsewhere }).eligible).toBe(true);
});

test('a pod with a volume that was created for it alone is surged', () => {
  const pod = { volumeClaims: ['web-1-scratch', 'data'], ownVolumeClaims: ['web-1-scratch'] };
  expect(decide(pod, {}, ['default/data']).eligible).toBe(true);
  expect(decide(pod)).toMatchObject({ reason: 'only one node at a time can mount its volume of data' });
});

test('a volume that is bound to one node prevents a surge, whatever its access mode', () => {
  const localVolumes = [{ volumeClaim: 'default/data', volume: 'pv-1', boundBy: 'kubernetes.io/hostname' }];
  expect(decide({ volumeClaims: ['data'] }, { localVolumes }, ['default/data'])).toMatchObject({
    eligible: false,
    reason: 'its volume pv-1 is bound to its node (kubernetes.io/hostname)',
  });
});

describe('a pod that must run beside another', () => {
  const api = aWorkload('api', 2, { surge: 1 });
  const beside = (topologyKey: string, selector = { matchLabels: { app: 'api' } }) => ({
    besides: [{ topologyKey, selector, namespaces: ['default'] }],
  });
  const onHost = beside('kubernetes.io/hostname');
  const old = aNode('n1', { cordoned: true });
  const refusal = {
    eligible: false,
    reason: 'its required affinity by kubernetes.io/hostname requires pods that are not surged with it',
  };
  const ask = (other: PodFacts | undefined, pod: Partial<PodFacts> = onHost) => {
    const pods = [aPod('web-1', 'n1', pod), ...(other === undefined ? [] : [other])];
    const nodes = [old, aNode('n9', { pool: 'new' })];
    return decide(pod, { workloads: [web, api], pods, nodes });
  };

  test('is not surged when the other is evicted, or is of the same workload', () => {
    expect(ask(undefined)).toMatchObject(refusal);
    expect(ask(aPod('api-1', 'n1', { ownerKind: 'StatefulSet' }))).toMatchObject(refusal);
    expect(ask(aPod('api-1', 'n2'))).toMatchObject(refusal);
    expect(ask(aPod('web-2', 'n1'), beside('kubernetes.io/hostname', { matchLabels: { app: 'web' } }))).toMatchObject(
      refusal,
    );
  });

  test('is surged when the other is surged, is a DaemonSet pod, stays, or need only be in the same zone', () => {
    expect(ask(aPod('api-1', 'n1')).eligible).toBe(true);
    expect(ask(aPod('api-1', 'n1', released('api-1', 'run'))).eligible).toBe(true);
    expect(ask(aPod('api-1', 'n1', { ownerKind: 'DaemonSet' })).eligible).toBe(true);
    expect(ask(aPod('api-1', 'n9')).eligible).toBe(true);
    expect(ask(undefined, beside('topology.kubernetes.io/zone')).eligible).toBe(true);
  });
});

test('a workload that the policy names is surged regardless of its autoscaler', () => {
  const doubling = {
    key: 'HorizontalPodAutoscaler default/web',
    workload: 'Deployment default/web',
    counts: 'doubles',
  };
  const podSurge = withPodSurge().podSurge;
  const named = { ...podSurge, workloads: { 'default/web': { mode: podSurge.mode, max: podSurge.max } } };
  expect(decide({}, { autoscalers: [doubling] }, [], named).eligible).toBe(true);
});
