import { describe, expect, test } from 'vitest';
import type { Amounts, ContainerNeeds, LimitFacts, LimitRangeFacts, QuotaFacts } from '../../../core/model/quota.ts';
import { decideEligibility } from '../../../core/pod-surge/eligibility.ts';
import { openQuotaLedger, roomFor } from '../../../core/pod-surge/quota-room.ts';
import { usageOf } from '../../../core/pod-surge/replacement-needs.ts';
import { selectReleases } from '../../../core/pod-surge/select-releases.ts';
import { aCluster, aPod, aPolicy, aWorkload, released, withPodSurge } from '../support/facts.ts';
import type { ClusterFacts, PodFacts } from '../support/model.ts';

const asks = (requests: Amounts, limits: Amounts = {}, kind: ContainerNeeds['kind'] = 'app'): ContainerNeeds => {
  return { kind, requests, limits };
};
const half = { needs: [asks({ cpu: 0.5 })] };
const web = (name: string, changes: Partial<PodFacts> = {}) =>
  aPod(name, 'n1', { ownerUid: 'rs', ...half, ...changes });
const quota = (hard: Amounts, changes: Partial<QuotaFacts> = {}): QuotaFacts => {
  return { key: 'ResourceQuota default/q', namespace: 'default', hard, ...changes };
};
const range = (limit: Partial<LimitFacts>): LimitRangeFacts => {
  const nothing = { min: {}, max: {}, ratio: {}, defaultRequests: {}, defaultLimits: {} };
  return { key: 'LimitRange default/l', namespace: 'default', limits: [{ of: 'Container', ...nothing, ...limit }] };
};

function clusterOf(pods: readonly PodFacts[], more: Partial<ClusterFacts>, replicas = pods.length): ClusterFacts {
  return aCluster({ pods, workloads: [aWorkload('web', replicas, { surge: 1 })], ...more });
}

function decide(pod: PodFacts, more: Partial<ClusterFacts>) {
  const context = {
    cluster: clusterOf([pod], more),
    policy: aPolicy(withPodSurge()),
    sharedVolumeClaims: new Set<string>(),
  };
  return decideEligibility(pod, context);
}

describe('a pod is not surged when', () => {
  const none: Partial<PodFacts> = { needs: [asks({})] };
  const cases: readonly (readonly [string, Partial<PodFacts>, Partial<ClusterFacts>, string | undefined])[] = [
    ['a quota has room', {}, { quotas: [quota({ 'requests.cpu': 1 })] }, undefined],
    ['a quota of CPU has no room', {}, { quotas: [quota({ 'requests.cpu': 0.9 })] }, 'has no room for another pod'],
    ['a quota of objects has no room', {}, { quotas: [quota({ 'count/pods': 1 })] }, 'has no room for another pod'],
    ['a full quota is of another namespace', {}, { quotas: [quota({ pods: 1 }, { namespace: 'other' })] }, undefined],
    [
      'a full quota is about what it does not take',
      {},
      { quotas: [quota({ 'requests.nvidia.com/gpu': 0 })] },
      undefined,
    ],
    ['a quota wants limits that it does not say', {}, { quotas: [quota({ 'limits.cpu': 9 })] }, 'must set limits.cpu'],
    [
      'a limit range says them instead',
      {},
      { quotas: [quota({ 'limits.cpu': 9 })], limitRanges: [range({ defaultLimits: { cpu: 1 } })] },
      undefined,
    ],
    [
      'a limit range has a lower maximum',
      { needs: [asks({}, { cpu: 4 })] },
      { limitRanges: [range({ max: { cpu: 2 } })] },
      'LimitRange default/l refuses another pod like it: a container must have a limit of at most 2 for cpu',
    ],
    [
      'a limit range has a maximum, and it has no limit',
      none,
      { limitRanges: [range({ max: { cpu: 2 } })] },
      'at most 2 for cpu',
    ],
    [
      'it gets the limit that it has not',
      none,
      { limitRanges: [range({ max: { cpu: 2 }, defaultLimits: { cpu: 2 } })] },
      undefined,
    ],
    ['a limit range has a higher minimum', {}, { limitRanges: [range({ min: { cpu: 1 } })] }, 'at least 1 of cpu'],
    [
      'its limit is too many times its request',
      { needs: [asks({ cpu: 1 }, { cpu: 3 })] },
      { limitRanges: [range({ ratio: { cpu: 2 } })] },
      'at most 2 times its request',
    ],
    [
      'all its containers together are too large',
      { needs: [asks({}, { cpu: 2 }), asks({}, { cpu: 1 })] },
      { limitRanges: [range({ of: 'Pod', max: { cpu: 2 } })] },
      'a pod must have a limit of at most 2 for cpu',
    ],
  ];
  test.each(cases)('%s', (_, pod, more, reason) => {
    const told = decide(web('web-1', pod), more);
    if (reason === undefined) expect(told).toMatchObject({ eligible: true });
    else expect(told).toMatchObject({ eligible: false, reason: expect.stringContaining(reason) });
  });

  test.each([
    ['BestEffort', [], false],
    ['NotBestEffort', [], true],
    ['NotTerminating', [], true],
    ['Terminating', [], false],
    ['PriorityClass', ['high'], true],
    ['PriorityClass', ['low'], false],
  ] as const)('a full quota of scope %s %j counts it', (name, values, isCounted) => {
    const operator = values.length > 0 ? 'In' : 'Exists';
    const full = quota({ pods: 1 }, { scopes: [{ name, operator, values }] });
    expect(decide(web('web-1', { priorityClass: 'high' }), { quotas: [full] }).eligible).toBe(!isCounted);
  });
});

test('a pod uses the sum of its containers or its largest init container, plus its overhead', () => {
  const needs = [
    asks({ cpu: 1 }, { memory: 10 }),
    asks({ cpu: 2 }),
    asks({ cpu: 0.5 }, {}, 'sidecar'),
    asks({ cpu: 5 }, {}, 'init'),
    asks({ cpu: 0.1 }, {}, 'overhead'),
  ];
  expect(usageOf({ phase: 'Running' }, needs)).toEqual({
    pods: 1,
    'count/pods': 1,
    cpu: 5.6,
    'requests.cpu': 5.6,
    'limits.memory': 10,
  });
  expect(usageOf({ phase: 'Failed' }, needs)).toEqual({ 'count/pods': 1 });
});

describe('the room that a quota has', () => {
  const pods = ['web-1', 'web-2', 'web-3', 'web-4'].map((name) => web(name));
  const [first, second] = pods;
  if (first === undefined || second === undefined) throw new Error('no pods');
  const room = (all: readonly PodFacts[], hard: Amounts, replicas = 4) =>
    roomFor(first, clusterOf(all, { quotas: [quota(hard)] }, replicas))?.pods;

  test('is for pods in addition to those that stay and the missing ones, not counting released and terminating ones', () => {
    expect(room(pods, { pods: 6, 'requests.cpu': 2.5 })).toBe(1);
    expect(room(pods, { pods: 6 })).toBe(2);
    const leaving = web('web-5', { terminating: true });
    const gone = web('web-6', released('web-6', 'run'));
    expect(room([...pods, leaving, gone], { pods: 6 })).toBe(2);
    expect(room(pods, { pods: 6 }, 5)).toBe(1);
    expect(room(pods, { pods: 4 }, 5)).toBe(0);
  });

  test('is shared by all pods that it counts, and that of terminating pods is available later', () => {
    const ledger = (all: readonly PodFacts[]) => openQuotaLedger(clusterOf(all, { quotas: [quota({ pods: 5 })] }, 4));
    const own = ledger(pods);
    expect([own.take(first), own.take(second)]).toEqual(['taken', 'no room']);
    expect(ledger([...pods, web('web-5', { terminating: true })]).take(first)).toBe('later');
    expect(ledger([...pods, web('web-6', released('web-6', 'run'))]).take(first)).toBe('no room');
  });

  test('limits how many pods are released together', () => {
    const policy = aPolicy(withPodSurge());
    const choose = (all: readonly PodFacts[]) => {
      const cluster = clusterOf(all, { quotas: [quota({ pods: 6 })] }, 4);
      return selectReleases(pods, { cluster, policy, sharedVolumeClaims: new Set() }, new Map(), 0);
    };
    expect(choose(pods).release.map(({ pod }) => pod.name)).toEqual(['web-1', 'web-2']);
    const { release, later } = choose([...pods, web('web-5', { terminating: true })]);
    expect(release.map(({ pod }) => pod.name)).toEqual(['web-1']);
    expect(later).toEqual([
      { workload: 'Deployment default/web', reason: expect.stringContaining('its quota has room') },
    ]);
  });
});
