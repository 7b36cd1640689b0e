import { describe, expect, test } from 'vitest';
import { decidePodSurgeRound, type PodSurgeQuestion } from '../../../core/pod-surge/pod-surge-round.ts';
import {
  aCluster,
  aGroup,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aService,
  aTarget,
  aWorkload,
  endpointOf,
  nodeRefOf,
  released,
  withPodSurge,
} from '../support/facts.ts';
import type { PodFacts, ServingFacts } from '../support/model.ts';

const old = [aNode('n1'), aNode('n2')];
const fresh = [aNode('n8', { pool: 'new' }), aNode('n9', { pool: 'new' })];
const workload = aWorkload('web', 2, { surge: 1 });
const before = [aPod('web-1', 'n1', { ownerUid: 'rs' }), aPod('web-2', 'n2', { ownerUid: 'rs' })];

/** A pod of `before` once run `run` has released it. */
function gone(name: string, node: string, wants = 2): PodFacts {
  const pod = aPod(name, node, released(name, 'run'));
  return pod.released === undefined ? pod : { ...pod, released: { ...pod.released, wants } };
}

function observation(pods: readonly PodFacts[], changes: Partial<ServingFacts['cluster']> = {}): ServingFacts {
  const nodes = [...old, ...fresh];
  const cluster = aCluster({ nodes, pods, workloads: [workload], services: [aService('web', pods)], ...changes });
  return anObservation(cluster, [aGroup('web', nodes)]);
}

function ask(facts: ServingFacts, changes: Partial<PodSurgeQuestion> = {}) {
  return decidePodSurgeRound({
    facts,
    policy: aPolicy(withPodSurge()),
    sharedVolumeClaims: new Set<string>(),
    run: 'run',
    batch: old.map(nodeRefOf),
    evictedInstead: [],
    leaving: new Set(old.map(({ uid }) => uid)),
    unplaced: {},
    aside: {},
    patient: true,
    ...changes,
  });
}

function decide(...question: Parameters<typeof ask>) {
  const round = ask(...question);
  return { ...round, release: round.release.map(({ pod }) => pod.name) };
}

describe('pods of a batch are released', () => {
  test('all at once, from their ReplicaSet', () => {
    const facts = observation(before);
    const [first] = ask(facts).release;
    expect(first?.from).toMatchObject({ label: 'pod-template-hash', value: 'x', workload: workload.key });
    expect(decide(facts)).toMatchObject({ release: ['web-1', 'web-2'], done: false, reason: '2 pods released' });
  });

  test('and waited for while their ReplicaSet still owns them', () => {
    const unheard = before.map((pod) => {
      const { labels, released: mark } = gone(pod.name, pod.node ?? '');
      return { ...pod, labels, ...(mark === undefined ? {} : { released: mark }) };
    });
    expect(decide(observation(unheard))).toMatchObject({
      done: false,
      awaited: [{ workload: workload.key, reason: '0 of 2 pods ready; web-rs has not released web-1', kind: 'kept' }],
    });
  });

  test('within the surge limit of their workload', () => {
    const frugal = { policy: aPolicy(withPodSurge('maxSurge')) };
    expect(decide(observation(before), frugal).release).toEqual(['web-1']);
    expect(decide(observation([gone('web-1', 'n1'), ...before.slice(1)]), frugal).release).toEqual([]);
  });

  test('only on its nodes', () => {
    expect(decide(observation(before), { batch: old.slice(1).map(nodeRefOf) }).release).toEqual(['web-2']);
  });

  test('except those that are not eligible, which are not waited for', () => {
    const stateful = before.map((pod) => ({ ...pod, ownerKind: 'StatefulSet' as const }));
    expect(decide(observation(stateful))).toMatchObject({ release: [], awaited: [], done: true });
    expect(decide(observation(before), { evictedInstead: [workload.key] })).toMatchObject({ release: [], done: true });
  });

  test('later, when they became unready only a moment ago', () => {
    const { stabilizationAfterOutageMs } = aPolicy().waits;
    const unready = (unreadySince: number) => observation([{ ...before[0], ready: false, unreadySince } as PodFacts]);
    expect(decide(unready(1 - stabilizationAfterOutageMs))).toMatchObject({
      done: false,
      awaited: [{ kind: 'later', reason: 'web-1 is not ready at the moment' }],
    });
    expect(decide(unready(-stabilizationAfterOutageMs)).done).toBe(true);
  });

  test('later, when their workload has rolled out', () => {
    const facts = observation(before, { workloads: [{ ...workload, rollingOut: true }] });
    expect(decide(facts)).toMatchObject({
      release: [],
      done: false,
      reason: '0 pods released; Deployment default/web: a rollout of Deployment default/web is in progress',
    });
  });
});

describe('replacements are waited for', () => {
  const left = [gone('web-1', 'n1'), gone('web-2', 'n2')];
  const arrived = [aPod('web-3', 'n8'), aPod('web-4', 'n9')];

  test('until as many are ready as their ReplicaSet wants', () => {
    const pending = { node: undefined, ready: false, unschedulableReason: 'no room' };
    const facts = observation([...left, ...arrived.slice(1), aPod('web-3', undefined, pending)]);
    expect(decide(facts)).toMatchObject({
      done: false,
      awaited: [{ workload: workload.key, reason: '1 of 2 pods ready; pod web-3 cannot be scheduled: no room' }],
    });
    expect(decide(observation([...left, ...arrived]))).toMatchObject({
      done: true,
      awaited: [],
      reason: '2 pods released',
    });
  });

  test('and serving pods of an old version are reported', () => {
    const [first, ...others] = left.map((pod) => ({ ...pod, ready: true }));
    const mark = first?.released;
    if (first === undefined || mark === undefined) throw new Error('nothing was released');
    const rolled = observation([{ ...first, released: { ...mark, wants: 0 } }, ...others, ...arrived]);
    expect(decide(rolled).reason).toBe(
      '2 pods released; still serving until their nodes leave: 1 pod of the old version of Deployment default/web',
    );
    const nobody = observation([{ ...first, released: { ...mark, wants: 0 } }], {
      workloads: [{ ...workload, replicas: 0 }],
    });
    expect(decide(nobody).reason).not.toContain('old version');
  });

  test('on nodes that stay: not on a node of the batch whose cordon they tolerate', () => {
    const tolerations = [{ operator: 'Exists' as const }];
    const came = [aPod('web-3', 'n8', { tolerations }), aPod('web-4', 'n2', { tolerations })];
    const reason =
      '1 of 2 pods ready on nodes that stay; web-4 is on n2, which is leaving: it tolerates the taint of cordoned nodes';
    expect(decide(observation([...left, ...came]))).toMatchObject({
      done: false,
      awaited: [{ kind: 'hopeless', reason }],
    });
    expect(decide(observation([...left, ...came]), { batch: [] })).toMatchObject({ done: true });
  });

  test('on nodes that stay: not on a node that an autoscaler will delete', () => {
    const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' as const }];
    const nodes = [...old, ...fresh.map((node) => (node.name === 'n9' ? { ...node, taints } : node))];
    const reason = '1 of 2 pods ready on nodes that stay; web-4 is on n9, which has taint karpenter.sh/disrupted';
    expect(decide(observation([...left, ...arrived], { nodes }))).toMatchObject({
      done: false,
      awaited: [{ kind: 'starting', reason }],
    });
  });

  test('until their nodes are healthy in the load balancers', () => {
    const facts = observation([...left, ...arrived]);
    const targets = [...old, ...fresh].map((node) =>
      aTarget(node, node.name === 'n9' ? { state: 'initial' as const } : {}),
    );
    const late = { ...facts, targetGroups: [aGroup('web', [...old, ...fresh], { targets })] };
    expect(decide(late)).toMatchObject({
      done: false,
      awaited: [{ reason: 'n9 not healthy in the load balancers of default/web yet' }],
    });
  });

  test('except for pods that are leaving, and for a workload that is evicted instead', () => {
    const facts = observation([...left, ...arrived.slice(1)]);
    expect(decide(facts, { evictedInstead: [workload.key] })).toMatchObject({ done: true });
    const out = left.map((pod) => ({ ...pod, endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } } }));
    expect(decide(observation([...out, ...arrived.slice(1)])).done).toBe(true);
    expect(decide(observation(left.map((pod) => ({ ...pod, terminating: true })))).done).toBe(true);
  });

  test('until they are endpoints of the Services that have any of these pods', () => {
    const pods = [...left, ...arrived];
    const lists = (listed: readonly PodFacts[]) => [aService('web', pods, { endpoints: listed.map(endpointOf) })];
    expect(decide(observation(pods, { services: lists([...left, ...arrived.slice(1)]) })).awaited).toEqual([
      { workload: workload.key, kind: 'starting', reason: '1 of 2 pods are ready endpoints of default/web' },
    ]);
    expect(decide(observation(pods, { services: lists([]) })).done).toBe(true);
    expect(decide(observation(pods)).done).toBe(true);
  });

  test('until they have been ready for minReadySeconds', () => {
    const since = (available: number) =>
      left.map((pod) => ({ ...pod, ...(pod.released && { released: { ...pod.released, available } }) }));
    expect(decide(observation([...since(1), ...arrived])).reason).toContain('1 of 2 pods ready for minReadySeconds');
    expect(decide(observation([...since(2), ...arrived])).done).toBe(true);
  });

  test.each([
    ['failing', { served: 2 }, '0 of 2 pods ready; none becomes ready on a new node: web-3 on n8, web-4 on n9'],
    ['starting', { served: 1 }, '0 of 1 pods ready; not ready: web-3 on n8, web-4 on n9'],
    [
      'refused',
      { served: 2, refused: 'exceeded quota' },
      '0 of 2 pods ready; no more pods can be created: exceeded quota',
    ],
  ] as const)('and are %s when that is observed', (kind, seen, reason) => {
    const policy = aPolicy({ ...withPodSurge(), target: { ...aPolicy().target, poolName: 'new' } });
    const noted = left.map((pod) => ({ ...pod, ...(pod.released && { released: { ...pod.released, ...seen } }) }));
    const unready = arrived.map((pod) => ({ ...pod, ready: false }));
    expect(decide(observation([...noted, ...unready]), { policy }).awaited).toEqual([
      { workload: workload.key, kind, reason },
    ]);
  });

  test('as many as served before, without those that were not ready or had no node when the run was planned', () => {
    const scaled = { workloads: [{ ...workload, replicas: 3 }] };
    const pending = aPod('web-5', undefined, { ready: false });
    const [first] = ask(observation([...before, aPod('web-5', 'n1', { ready: false })], scaled)).release;
    expect(first?.from.served).toBe(2);
    const noted = left.map((pod) => ({
      ...pod,
      ...(pod.released && { released: { ...pod.released, wants: 3, served: 2 } }),
    }));
    expect(decide(observation([...noted, ...arrived, pending], scaled)).done).toBe(true);
    const unnoted = [gone('web-1', 'n1', 3), gone('web-2', 'n2', 3), ...arrived, pending];
    expect(decide(observation(unnoted, scaled)).reason).toContain('2 of 3 pods ready');
    expect(decide(observation(unnoted, scaled), { unplaced: { [workload.key]: 1 } }).done).toBe(true);
  });

  test('as many as are wanted now: fewer after a scale-down, none of the old version after a rollout', () => {
    const scaled = [gone('web-1', 'n1', 1), gone('web-2', 'n2', 1), ...arrived.slice(1)];
    expect(decide(observation(scaled)).done).toBe(true);
    expect(decide(observation([gone('web-1', 'n1', 0), gone('web-2', 'n2', 0)])).done).toBe(true);
  });
});
