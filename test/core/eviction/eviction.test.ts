import { describe, expect, test } from 'vitest';
import {
  concludeEvictionRound,
  decideEviction,
  decideEvictionAgain,
  decideStart,
  type EvictionCheckpoint,
  type EvictionFacts,
} from '../../../core/eviction/eviction.ts';
import type { RoundOutcome } from '../../../core/eviction/rejections.ts';
import { readEvictPods } from '../../../core/status/checkpoint.ts';
import { aCluster, aNode, aPod, aPolicy, aService, nodeRefOf } from '../support/facts.ts';
import type { ClusterFacts } from '../support/model.ts';

const node = nodeRefOf(aNode('n1'));
const policy = aPolicy();
const now = 1_000_000;
const fresh = readEvictPods(undefined);
const nothing: RoundOutcome = { acted: false, blocked: [], unprotected: [], rejected: {} };

function questionOf(cluster: Partial<ClusterFacts>, changes: Partial<EvictionFacts> = {}): EvictionFacts {
  return { node, facts: aCluster(cluster), policy, run: 'run', now, since: now, ...changes };
}

const decide = (
  cluster: Partial<ClusterFacts>,
  known: EvictionCheckpoint = fresh,
  changes: Partial<EvictionFacts> = {},
) => decideEviction(questionOf(cluster, changes), known);

const out = { nodes: [aNode('n1', { excluded: true })] };
const endpointsRemoved = { endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } }, labels: {} };

describe('the verdict', () => {
  test('says that nothing is left', () => {
    expect(decide({ ...out, pods: [aPod('web-1', 'n2')] })).toMatchObject({
      verdict: 'empty',
      actions: [],
      remaining: 0,
    });
  });

  test('says that what is left should have ended', () => {
    const hanging = { terminating: true, killedAt: 40_000 } as const;
    expect(decide({ ...out, pods: [aPod('web-1', 'n1', hanging)] }).verdict).toBe('stuck');
  });

  test('says what to do else', () => {
    expect(decide({ ...out, pods: [aPod('batch-1', 'n1')] })).toMatchObject({
      verdict: 'evict',
      actions: [{ kind: 'evict', pod: { name: 'batch-1' } }],
    });
  });
});

describe('load balancers are asked', () => {
  const begun = { ...fresh, begun: true };

  test('before the first pod is touched', () => {
    expect(decide({ ...out, pods: [] }).asksLoadBalancers).toBe(true);
    expect(decide({ ...out, pods: [] }, begun).asksLoadBalancers).toBe(false);
  });

  test('before a pod leaves that Services list', () => {
    expect(decide({ ...out, pods: [aPod('batch-1', 'n1')] }, begun).asksLoadBalancers).toBe(true);
  });

  test('not before one leaves that was removed from them, which says that the step has begun', () => {
    const pod = aPod('web-1', 'n1', endpointsRemoved);
    const known = { ...fresh, removedAt: { [pod.uid]: 0 } };
    const decision = decide({ ...out, pods: [pod] }, known);
    expect(decision).toMatchObject({
      actions: [{ kind: 'evict' }],
      asksLoadBalancers: false,
      checkpoint: { begun: true },
    });
  });

  test('again where somebody has removed the label from the node', () => {
    const pod = aPod('web-1', 'n1', endpointsRemoved);
    const known = { ...fresh, removedAt: { [pod.uid]: 0 } };
    const inAgain = { nodes: [aNode('n1', { excluded: false })], pods: [pod] };
    expect(decide(inAgain, known).asksLoadBalancers).toBe(true);
    expect(decideEvictionAgain({ ...questionOf(inAgain), ...known })).toEqual([]);
  });
});

describe('from observation to observation', () => {
  test('it is known since when pods have been out of their endpoints', () => {
    const pod = aPod('web-1', 'n1', endpointsRemoved);
    const first = decide({ ...out, pods: [pod] });
    expect(first.checkpoint.removedAt).toEqual({ [pod.uid]: now });
    expect(first.actions).toEqual([]);
    const later = decide({ ...out, pods: [pod] }, first.checkpoint, { now: now + 18_000 });
    expect(later.checkpoint.removedAt).toEqual({ [pod.uid]: now });
    expect(later.actions).toMatchObject([{ kind: 'evict' }]);
  });

  test('pods that run to completion have a deadline of their own', () => {
    const job = aPod('job-1', 'n1', { ownerKind: 'Job' });
    const completing = aPolicy({ drain: { ...policy.drain, jobs: 'wait' } });
    const { jobCompletionMs } = completing.waits.deadlines;
    const at = (since: number) => decide({ ...out, pods: [job] }, fresh, { policy: completing, since });
    expect(at(now - jobCompletionMs + 1)).toMatchObject({ completes: true, selfResolving: true });
    expect(at(now - jobCompletionMs)).toMatchObject({ completes: true, selfResolving: false });
  });
});

describe('the end of a round', () => {
  const pods = [aPod('batch-1', 'n1'), aPod('bare-1', 'n1', { ownerKind: 'none' })];
  const facts = aCluster({ ...out, pods });
  const decision = decide({ ...out, pods });

  test('reports what blocks pods, and what was rejected as well', () => {
    const refused = { pod: aPod('batch-1', 'n1'), budget: 'default/web', needs: 2, has: 2, reason: 'web needs 2' };
    const end = concludeEvictionRound(decision, { ...nothing, blocked: [refused] }, { node, facts, policy, now });
    expect(end.blocked.map(({ pod }) => pod.name)).toEqual(['bare-1', 'batch-1']);
    expect(end.reason).toMatch(/^2 pods left on n1; default\/bare-1: /);
    expect(end).toMatchObject({ selfResolving: false, checkpoint: { begun: false } });
  });

  test('lets the deadline wait for what was told to stop just now', () => {
    const end = concludeEvictionRound(decision, { ...nothing, acted: true }, { node, facts, policy, now });
    expect(end).toMatchObject({ selfResolving: true, checkpoint: { begun: true } });
  });

  test('says what an empty node waits for', () => {
    const empty = decide({ ...out, pods: [] });
    const end = concludeEvictionRound(empty, nothing, { node, facts, policy, now, waitsFor: 'a volume is attached' });
    expect(end.reason).toBe('a volume is attached');
  });

  test('keeps what could not be protected, twenty at most', () => {
    const told = Array.from({ length: 15 }, (_, i) => `pod ${i}`);
    const first = concludeEvictionRound(decision, { ...nothing, unprotected: told }, { node, facts, policy, now });
    const second = decide({ ...out, pods }, first.checkpoint);
    const end = concludeEvictionRound(second, { ...nothing, unprotected: told }, { node, facts, policy, now });
    expect(end.checkpoint.unprotected).toHaveLength(20);
  });

  test('polls again soon after a pod was removed from its endpoints, else at the usual interval', () => {
    const web = [aPod('web-1', 'n1', { preStopSeconds: 0 }), aPod('web-2', 'n2')];
    const listed = { ...out, pods: web, services: [aService('web', web)] };
    const removals = decide(listed);
    expect(removals.actions).toMatchObject([{ kind: 'remove-endpoints' }]);
    const at = { node, facts: aCluster(listed), policy, now };
    expect(concludeEvictionRound(removals, { ...nothing, acted: true }, at).requeueAfterMs).toBe(200);
    expect(concludeEvictionRound(decision, nothing, { node, facts, policy, now }).requeueAfterMs).toBe(500);
  });
});

describe('a node that may have been excluded wrongly', () => {
  const { stabilizationMs } = policy.waits;

  test('is emptied when it was excluded rightly', () => {
    expect(decideStart(undefined, { revokedSince: now }, now, policy)).toEqual({ verdict: 'evict' });
  });

  test('is restored when observations have agreed for a while, and waits until then', () => {
    const reason = 'nothing is evicted: web would serve 1 without it';
    const lost = 'web would serve 1 without it';
    expect(decideStart(lost, {}, now, policy)).toEqual({ verdict: 'wait', reason, revokedSince: now });
    const known = { revokedSince: now };
    expect(decideStart(lost, known, now + stabilizationMs - 1, policy)).toMatchObject({
      verdict: 'wait',
      revokedSince: now,
    });
    expect(decideStart(lost, known, now + stabilizationMs, policy)).toEqual({ verdict: 'restore', reason: lost });
  });
});
