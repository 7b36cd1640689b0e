import { describe, expect, test } from 'vitest';
import { decideDismissal, trackGone } from '../../../core/pod-surge/dismissal.ts';
import { aCluster, aNode, aPod, aPolicy, aService, aWorkload, released, withPodSurge } from '../support/facts.ts';
import type { PodFacts, WorkloadFacts } from '../support/model.ts';

const now = 10_000_000;
const minute = 60_000;

function leaving(name: string, node: string, changes: Partial<PodFacts> & { readonly wants?: number } = {}): PodFacts {
  const { wants, ...others } = changes;
  const pod = aPod(name, node, { ...released(name, 'r1'), ...others });
  if (pod.released === undefined || wants === undefined) return pod;
  return { ...pod, released: { ...pod.released, wants } };
}

/** What is done to the pods of `web`, seen gone since then. */
function decide(
  pods: readonly PodFacts[],
  {
    workloads = [],
    goneMs,
    policy = 'Cluster',
    isServed = true,
    removedAt = {},
  }: {
    readonly workloads?: readonly WorkloadFacts[];
    readonly goneMs?: number;
    readonly policy?: 'Local' | 'Cluster';
    readonly isServed?: boolean;
    readonly removedAt?: Readonly<Record<string, number>>;
  } = {},
) {
  const services = isServed ? [{ ...aService('web', pods), externalTrafficPolicy: policy }] : [];
  const facts = aCluster({ nodes: [aNode('n1'), aNode('n2')], pods, workloads, services });
  const known = goneMs === undefined ? {} : Object.fromEntries(pods.map(({ uid }) => [uid, now - goneMs]));
  const goneSince = trackGone(known, facts, 'r1', now);
  const question = {
    facts,
    policy: aPolicy(withPodSurge()),
    run: 'r1',
    now,
    removedAt,
    unreadySince: {},
    drainedAt: {},
    goneSince,
  };
  const { actions, blocked } = decideDismissal(question);
  return [...actions.map(({ kind, pod }) => `${kind} ${pod.name}`), ...blocked.map(({ reason }) => reason)];
}

const out = { labels: {}, endpointsRemoved: { by: 'r1', originalLabels: { app: 'web' } } };

describe('a released pod whose Deployment is gone', () => {
  test('stays while its ReplicaSet exists', () => {
    expect(decide([leaving('web-1', 'n1', { wants: 4 })], { goneMs: 60 * minute })).toEqual([]);
  });

  test('stays until observations have agreed for a while that its ReplicaSet is gone too', () => {
    for (const isServed of [true, false]) {
      expect(decide([leaving('web-1', 'n1')], { isServed })).toEqual([]);
      expect(decide([leaving('web-1', 'n1')], { isServed, goneMs: 100 })).toEqual([]);
    }
    expect(decide([leaving('web-1', 'n1')], { isServed: false, goneMs: minute })).toEqual(['delete web-1']);
  });

  test('stays while it is the only endpoint of a Service, until the replacements deadline', () => {
    const pods = [leaving('web-1', 'n1'), leaving('web-2', 'n2')];
    const held = expect.stringMatching(
      /^Deployment default\/web is gone, and no other pod serves in place of this one; it stays until \d\d:\d\d:\d\d: create/,
    );
    expect(decide(pods, { goneMs: minute })).toEqual([held, held]);
    expect(decide(pods, { goneMs: 60 * minute })).toEqual(['remove-endpoints web-1', 'remove-endpoints web-2']);
  });

  test('leaves where another serves in its place: removed from endpoints, and deleted when that has propagated', () => {
    const other = aPod('web-9', 'n2', { workload: 'Deployment default/web-green' });
    expect(decide([leaving('web-1', 'n1'), other], { goneMs: minute })).toEqual(['remove-endpoints web-1']);
    expect(decide([leaving('web-1', 'n1', out), other], { goneMs: minute })).toEqual([]);
    const removedAt = { 'uid-web-1': now - 10 * minute };
    expect(decide([leaving('web-1', 'n1', out), other], { goneMs: minute, removedAt })).toEqual(['delete web-1']);
  });

  test('stays where a Service with policy Local has no other endpoint on its node', () => {
    const other = aPod('web-9', 'n2', { workload: 'Deployment default/web-green' });
    const [first] = decide([leaving('web-1', 'n1'), other], { goneMs: minute, policy: 'Local' });
    expect(first).toContain('no other pod serves');
    const beside = [leaving('web-1', 'n1'), { ...other, node: 'n1' }];
    expect(decide(beside, { goneMs: minute, policy: 'Local' })).toEqual(['remove-endpoints web-1']);
  });
});

describe('a released pod of a workload that is scaled down', () => {
  test('to zero leaves at once, even if it is the last one', () => {
    const pods = [leaving('web-1', 'n1', { wants: 0 }), leaving('web-2', 'n2', { wants: 0 })];
    const workloads = [aWorkload('web', 0)];
    expect(decide(pods, { workloads, policy: 'Local' })).toEqual(['remove-endpoints web-1', 'remove-endpoints web-2']);
    expect(decide(pods, { workloads, isServed: false })).toEqual(['delete web-1', 'delete web-2']);
  });

  test('below the number of released pods leaves first, provided that the others serve', () => {
    const pods = [1, 2, 3, 4].map((index) => leaving(`web-${index}`, 'n1', { wants: 2 }));
    expect(decide(pods, { workloads: [aWorkload('web', 2)] })).toEqual([
      'remove-endpoints web-1',
      expect.stringContaining('one pod to leave at a time'),
    ]);
    expect(decide(pods, { workloads: [aWorkload('web', 4)] })).toEqual([]);
    expect(decide(pods.slice(0, 2), { workloads: [aWorkload('web', 2)] })).toEqual([]);
    const idle = pods.map((pod, index) => (index < 3 ? { ...pod, ready: false } : pod));
    expect(decide(idle, { workloads: [aWorkload('web', 2)] })).toEqual([]);
  });

  test('is left alone if another run released it, or if it is terminating', () => {
    const workloads = [aWorkload('web', 0)];
    expect(decide([aPod('web-1', 'n1', released('web-1', 'r2'))], { workloads })).toEqual([]);
    expect(decide([leaving('web-1', 'n1', { terminating: true })], { workloads })).toEqual([]);
  });
});
