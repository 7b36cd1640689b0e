/** Pods that are targets of load balancers themselves leave these before they are evicted. */
import { describe, expect, test } from 'vitest';
import { findEvictedWhileTarget, needsRemoval } from '../../../core/eviction/endpoint-removal.ts';
import { decideEvictionRound, type EvictionQuestion } from '../../../core/eviction/eviction-round.ts';
import { selfResolving } from '../../../core/eviction/leaving.ts';
import { decideEndpointRemoval } from '../../../core/eviction/leftover-endpoints.ts';
import { decideRestoreRound } from '../../../core/eviction/restore-pods.ts';
import { trackDrained } from '../../../core/eviction/target-removal.ts';
import type { ServiceBaseline } from '../../../core/guard/baseline.ts';
import { noteSilent } from '../../../core/guard/silent-groups.ts';
import { aBaseline, aBudget, aNode, aPod, aPolicy, aWorkload, nodeRefOf, withDrain } from '../support/facts.ts';
import type { PodFacts, TargetState } from '../support/model.ts';
import { podsBehind } from '../support/pod-targets.ts';

const node = nodeRefOf(aNode('n1'));
const elsewhere = [aPod('web-2', 'n2'), aPod('web-3', 'n3')];
const removed: Partial<PodFacts> = {
  labels: { 'pod-template-hash': 'x' },
  endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } },
};
const now = 1_000_000;
const pod = (changes: Partial<PodFacts> = {}) => aPod('web-1', 'n1', changes);

function decide(
  pods: readonly PodFacts[],
  states: Readonly<Record<string, TargetState | 'gone'>> = {},
  changes: Partial<EvictionQuestion> & Parameters<typeof podsBehind>[1] = {},
) {
  const { policy = aPolicy(), drainedAt = {}, unreadySince = {}, ...cluster } = changes;
  const facts = podsBehind([...pods, ...elsewhere], { states, workloads: [aWorkload('web', 3)], ...cluster }).cluster;
  const times = { removedAt: { 'uid-web-1': 0 }, unreadySince, drainedAt };
  const round = decideEvictionRound({ node, facts, policy, run: 'run', now, ...times });
  return {
    does: round.actions.map(({ kind, pod: { name } }) => `${kind} ${name}`),
    blocked: round.blocked.map(({ reason }) => reason),
  };
}

describe('a pod that is a target', () => {
  test('is removed from endpoints first, however long it serves on after it was told to stop', () => {
    expect(decide([pod({ preStopSeconds: 25 })]).does).toEqual(['remove-endpoints web-1']);
  });

  test.each(['healthy', 'initial', 'unhealthy'] as const)(
    'is not evicted while a target group has it as %s',
    (state) => {
      expect(decide([pod(removed)], { 'web-1': state }, { drainedAt: { 'uid-web-1': 0 } })).toEqual({
        does: [],
        blocked: [`it was removed from endpoints but is still a target of k8s-web (${state})`],
      });
    },
  );

  test('is not evicted while its connections have time left, even if it is listed no more', () => {
    for (const state of ['draining', 'gone'] as const)
      expect(decide([pod(removed)], { 'web-1': state }, { drainedAt: { 'uid-web-1': now + 60_000 } })).toEqual({
        does: [],
        blocked: ['its connections through k8s-web may continue for another 1m'],
      });
  });

  test('is not evicted while it is listed as draining, even if the time is over', () => {
    expect(decide([pod(removed)], { 'web-1': 'draining' }, { drainedAt: { 'uid-web-1': now } })).toEqual({
      does: [],
      blocked: ['it drains from k8s-web (draining)'],
    });
  });

  test.each(['gone', 'unused'] as const)('is evicted when it is %s and the time is over', (state) => {
    expect(decide([pod(removed)], { 'web-1': state }, { drainedAt: { 'uid-web-1': now } }).does).toEqual([
      'evict web-1',
    ]);
  });

  test('is evicted at once without the rule', () => {
    const policy = aPolicy({ disabledRules: ['wait-for-deregistration'] });
    expect(decide([pod(removed)], { 'web-1': 'healthy' }, { policy }).does).toEqual(['evict web-1']);
  });

  test('that is not Ready stays while a load balancer sends to it, and leaves when none does', () => {
    const unready = pod({ ready: false });
    const asked = { unreadySince: { 'uid-web-1': 0 } };
    expect(decide([unready], {}, asked)).toEqual({
      does: [],
      blocked: ['it is not Ready, and k8s-web still sends to it'],
    });
    expect(decide([{ ...unready, closedGate: 'target-health.elbv2.k8s.aws/x' }], {}, asked).blocked).toEqual([
      'its readiness gate target-health.elbv2.k8s.aws/x is not True, and k8s-web still sends to it',
    ]);
    expect(decide([unready], { 'web-1': 'unhealthy' }, asked).does).toEqual(['evict web-1']);
  });

  test('stays an endpoint as long as a readiness gate is not True', () => {
    const open = podsBehind([pod()], { service: { publishNotReadyAddresses: true } });
    const closed = podsBehind([pod({ closedGate: 'cloud.google.com/load-balancer-neg-ready' })]);
    const [first, second] = [open, closed].map(({ cluster }) =>
      needsRemoval(cluster.pods[0] ?? pod(), cluster, aPolicy()),
    );
    expect([first, second]).toEqual([true, false]);
  });
});

describe('budgets count pods that are healthy targets', () => {
  const all = [pod(), ...elsewhere];

  test.each([
    ['allow a pod to leave while all are', {}, ['remove-endpoints web-1']],
    ['block it while another one is not registered yet', { 'web-3': 'gone' }, []],
    ['block it while another one is not healthy yet', { 'web-3': 'initial' }, []],
    ['allow one that is no healthy target itself', { 'web-1': 'initial' }, ['remove-endpoints web-1']],
    ['count one in a zone that the load balancer does not cover', { 'web-3': 'unused' }, ['remove-endpoints web-1']],
  ] as const)('and %s', (_, states, does) => {
    expect(decide([pod()], states, { budgets: [aBudget('web', all, 2)] }).does).toEqual(does);
  });

  test('and say which healthy pod they do not count', () => {
    const { blocked } = decide([pod()], { 'web-3': 'unhealthy' }, { budgets: [aBudget('web', all, 2)] });
    expect(blocked).toEqual([
      'budget default/web needs 2 of 3 healthy, has 2; web-3 is not a healthy target of k8s-web',
    ]);
  });

  test('and so does the rule for pods without a budget', () => {
    const { does, blocked } = decide([pod()], { 'web-3': 'initial' });
    expect(does).toEqual([]);
    expect(blocked.join()).toContain('web-3 is not a healthy target of k8s-web');
  });
});

describe('a group that never had a healthy target', () => {
  const unhealthy = { 'web-1': 'unhealthy', 'web-2': 'unhealthy', 'web-3': 'unhealthy' } as const;
  const silent = (
    states: Readonly<Record<string, TargetState | 'gone'>>,
    baselines: readonly ServiceBaseline[] = [],
  ) => {
    const { podTargets = [] } = podsBehind([pod(), ...elsewhere], { states }).cluster;
    return { podTargets: noteSilent(podTargets, baselines) };
  };

  test('lets pods leave one at a time, each when the others are registered', () => {
    expect(decide([pod()], {}, silent(unhealthy)).does).toEqual(['remove-endpoints web-1']);
    const { does, blocked } = decide([pod()], {}, silent({ ...unhealthy, 'web-3': 'gone' }));
    expect([does, blocked]).toEqual([[], [expect.stringContaining('web-3 is not registered in k8s-web')]]);
  });

  test('waits for targets that have not been checked yet: nothing says that they are sent to', () => {
    expect(decide([pod()], {}, silent({ ...unhealthy, 'web-3': 'initial' })).does).toEqual([]);
  });

  test('and has no target at all does not block anything', () => {
    const none = { 'web-1': 'gone', 'web-2': 'gone', 'web-3': 'gone' } as const;
    expect(decide([pod()], {}, silent(none)).does).toEqual(['remove-endpoints web-1']);
  });

  test('still has to deregister a pod before it is evicted', () => {
    expect(decide([pod(removed)], {}, { ...silent(unhealthy), drainedAt: { 'uid-web-1': 0 } })).toEqual({
      does: [],
      blocked: ['it was removed from endpoints but is still a target of k8s-web (unhealthy)'],
    });
  });

  test('is not one that had a healthy target before, or of which that is not known', () => {
    for (const groups of [['arn:web'], undefined])
      expect(decide([pod()], {}, silent(unhealthy, [aBaseline('web', 3, groups && { groups })])).does).toEqual([]);
  });
});

describe('the time of draining', () => {
  const policy = aPolicy();
  const track = (state: TargetState | 'gone', known = {}) => {
    const { cluster } = podsBehind([pod(removed)], {
      states: { 'web-1': state },
      service: { selector: { app: 'web' } },
    });
    return trackDrained(known, cluster.pods, { facts: cluster, policy, now });
  };

  test('counts from the first observation in which the pod gets nothing new', () => {
    const until = now + 300_000 + policy.waits.marginMs;
    expect(track('draining')).toEqual({ 'uid-web-1': until });
    expect(track('gone', { 'uid-web-1': 7 })).toEqual({ 'uid-web-1': 7 });
    expect(track('healthy', { 'uid-web-1': 7 })).toEqual({});
  });

  test('is no reason to ask an operator', () => {
    const left = { pods: [pod(removed)], removedAt: {}, staleSince: {}, unreadySince: {} };
    const resolving = (drainedAt: object) => selfResolving({ ...left, drainedAt: { ...drainedAt } }, policy.waits, now);
    expect([resolving({ 'uid-web-1': now + 1 }), resolving({})]).toEqual([true, false]);
  });
});

describe('a pod that cannot be removed from endpoints', () => {
  const { waits } = aPolicy();
  const needed = 15 + waits.propagationMs / 1_000;
  const judge = (changes: Partial<PodFacts>, policy = aPolicy()) => {
    const { cluster } = podsBehind([pod({ ownerKind: 'StatefulSet', ...changes })]);
    return findEvictedWhileTarget(cluster.pods[0] ?? pod(), cluster, policy);
  };

  test('stops too early with less than the time until it is deregistered', () => {
    expect(judge({ preStopSeconds: needed - 1, terminationGracePeriodSeconds: 900 })).toMatchObject({
      groups: ['k8s-web'],
      preStopMs: needed * 1_000,
    });
  });

  test('stops too early when it is killed as soon as it was told to stop', () => {
    expect(judge({ preStopSeconds: needed, terminationGracePeriodSeconds: needed })).toBeDefined();
    expect(
      judge({ preStopSeconds: needed, terminationGracePeriodSeconds: needed + waits.marginMs / 1_000 }),
    ).toBeUndefined();
  });

  test('is one that the policy names, too; all others are removed', () => {
    expect(judge({ ownerKind: 'ReplicaSet' }, aPolicy(withDrain({ keepEndpoints: ['default/web'] })))?.why).toContain(
      'keepEndpoints',
    );
    expect(judge({ ownerKind: 'ReplicaSet' })).toBeUndefined();
  });
});

describe('other pods that were removed from endpoints', () => {
  const asked = (state: TargetState | 'gone', changes: Partial<PodFacts>) => {
    const tainted = aNode('n1', { ownership: { disruptedBy: 'run' } });
    const { cluster } = podsBehind([pod({ ...removed, ...changes })], { nodes: [tainted], states: { 'web-1': state } });
    const times = { removedAt: { 'uid-web-1': 0 }, unreadySince: {}, drainedAt: { 'uid-web-1': now } };
    return { node, nodes: [node], facts: cluster, policy: aPolicy(), run: 'run', now, rejected: {}, ...times };
  };

  test('are deleted, where a DaemonSet owns them, when they have drained', () => {
    const agent = { ownerKind: 'DaemonSet' } as const;
    const waiting = decideEndpointRemoval(asked('healthy', agent));
    expect(waiting).toMatchObject({ actions: [], remaining: 1 });
    expect(waiting.reason).toContain('still a target of k8s-web (healthy)');
    expect(decideEndpointRemoval(asked('gone', agent)).actions).toMatchObject([{ kind: 'delete' }]);
  });

  test('are evicted, where their node is restored and they were replaced, when they have drained', () => {
    const replaced = { ownerKind: 'none', ownerName: '' } as const;
    expect(decideRestoreRound(asked('draining', replaced))).toMatchObject({
      actions: [],
      blocked: [{ reason: 'it drains from k8s-web (draining)' }],
    });
    expect(decideRestoreRound(asked('gone', replaced)).actions).toMatchObject([{ kind: 'evict' }]);
  });
});
