/** What a plan says where pods are the targets of load balancers, in groups as the adapter reads them. */
import { describe, expect, test } from 'vitest';
import type { PodTarget, TargetState } from '../../../core/model/target-group.ts';
import type { Finding } from '../../../core/plan/finding.ts';
import { audit, extra, n1Only } from '../support/audited-pool.ts';
import { withGuard, withWaits } from '../support/facts.ts';
import { ipGroup } from '../support/ip-group.ts';
import type { PodFacts, Policy, ServiceFacts, TargetGroupFacts } from '../support/model.ts';

describe('pods of a StatefulSet, which cannot be removed from endpoints', () => {
  const member = { ownerKind: 'StatefulSet', ownerName: 'web', labels: { app: 'web' } } as const;
  const found = (group: TargetGroupFacts, pod: Partial<PodFacts>, policy?: Partial<Policy>): readonly Finding[] =>
    audit({
      group,
      pods: extra({ ...member, ...pod }),
      cluster: { podTargets: [group] },
      ...(policy && { policy }),
    }).filter(({ rule }) => rule === 'WKL-034');
  const minute = { preStopSeconds: 60, terminationGracePeriodSeconds: 120 };
  const hook = (command: string, containers = ['db']) => ({
    preStopSeconds: 0,
    terminationGracePeriodSeconds: 260,
    lifecycle: { containers, preStops: { db: { handler: 'exec' as const, command } } },
  });

  test.each([
    ['sleep 200', hook('sleep 200')],
    ['sh -c "sleep 200"', hook('sh -c sleep 200')],
    ['/bin/sh -c "sleep 195; exit 0"', hook('/bin/sh -c sleep 195; exit 0')],
  ])('may sleep by the command %s', (_, pod) => {
    expect(found(ipGroup('network'), pod)).toEqual([]);
  });

  test.each([
    ['that is too short', hook('sleep 194'), '194 s'],
    ['that the shell does not wait for', hook('sh -c sleep 200 & true'), '0 s'],
    ['that only one of its containers has', hook('sleep 200', ['db', 'proxy']), '0 s'],
  ])('are refused with a command %s', (_, pod, has) => {
    expect(found(ipGroup('network'), pod)).toMatchObject([
      { severity: 'blocker', message: expect.stringContaining(`it has a preStop sleep of ${has}`) },
    ]);
  });

  test('need as long as the load balancers of their sort take', () => {
    expect(found(ipGroup('application'), minute)).toEqual([]);
    expect(found(ipGroup('application'), { ...minute, preStopSeconds: 24 })).toMatchObject([
      { severity: 'blocker', message: expect.stringContaining('needs 25s and 40s') },
    ]);
    expect(found(ipGroup('network'), minute)).toMatchObject([
      { severity: 'blocker', message: expect.stringContaining('needs 3m 15s and 3m 30s') },
    ]);
  });

  test('need what the policy says where it says more than its default, and no more than it says', () => {
    const longer = withWaits({ propagationMs: 240_000 });
    expect(found(ipGroup('application'), minute, longer)).toMatchObject([
      { message: expect.stringContaining('needs 4m 15s and 4m 30s') },
    ]);
    const shorter = withWaits({ propagationMs: 5_000 });
    expect(found(ipGroup('network'), { ...minute, preStopSeconds: 20 }, shorter)).toEqual([]);
  });
});

test('an endpoint that sleeps by a command serves on until every kube-proxy has heard', () => {
  const member = { ownerKind: 'StatefulSet', ownerName: 'web', labels: { app: 'web' }, preStopSeconds: 0 } as const;
  const found = (command: string) => {
    const preStops = { db: { handler: 'exec', command } } as const;
    return audit({ pods: extra({ ...member, lifecycle: { containers: ['db'], preStops } }) }).filter(
      ({ rule }) => rule === 'WKL-008',
    );
  };
  expect(found('sleep 3')).toEqual([]);
  expect(found('sleep 2')).toMatchObject([{ message: expect.stringContaining('a preStop sleep of only 2 s') }]);
});

test('pods on one node leave one by one where they are targets themselves', () => {
  expect(audit({ pods: n1Only }).map(({ rule }) => rule)).toContain('SVC-001');
  expect(audit({ pods: n1Only, group: ipGroup('network') }).map(({ rule }) => rule)).not.toContain('SVC-001');
});

describe('a NodePort Service', () => {
  const found = (names: readonly string[], groups: Partial<TargetGroupFacts> | 'none') =>
    audit({
      group: groups,
      service: { type: 'NodePort', podGroups: { names, zones: [], zonesNeedCandidate: false } },
    }).filter(({ rule }) => rule === 'SVC-027');

  test('whose pods are observed as targets is not said to be unseen', () => {
    expect(found(['arn:web'], ipGroup('application'))).toEqual([]);
    expect(found(['k8s-web'], ipGroup('application'))).toEqual([]);
  });

  describe('of which an Ingress says that nodes are targets', () => {
    const balancer = { by: 'Ingress default/shop', groups: ['k8s-web'], hint: 'Have its pods as targets.' };
    const foundWith = (changes: Partial<ServiceFacts>, policy: Partial<Policy> = {}, group: object | 'none' = 'none') =>
      audit({
        group: group as 'none',
        service: { type: 'NodePort', nodePortBalancers: [{ ...balancer, groups: [] }], ...changes },
        policy,
      }).filter(({ rule }) => rule === 'SVC-027');

    test('refuses the run, unless the policy accepts that', () => {
      expect(foundWith({})).toMatchObject([
        {
          severity: 'blocker',
          message:
            'the load balancer of Ingress default/shop sends to it through nodes, which is not seen, and not waited for; it has endpoints on the nodes to replace',
          hint: expect.stringContaining('Have its pods as targets. Or list it'),
          acceptableFor: ['default/web'],
        },
      ]);
      const [accepted, ...others] = foundWith({}, withGuard({ acceptUnprotected: ['default/web'] }));
      expect([accepted?.severity, accepted?.acceptableFor, others]).toEqual(['error', undefined, []]);
      // Its instance groups have all nodes, and with policy Cluster each of them forwards.
      expect(foundWith({ endpoints: [], externalTrafficPolicy: 'Cluster' })).toMatchObject([{ severity: 'blocker' }]);
      expect(foundWith({ endpoints: [] })).toEqual([]);
      // A load balancer of its own that is observed says nothing about the other one.
      expect(foundWith({ type: 'LoadBalancer' }, {}, {})).toMatchObject([{ severity: 'blocker' }]);
    });

    test('is protected where all its target groups are found', () => {
      expect(foundWith({ nodePortBalancers: [balancer] }, {}, {})).toEqual([]);
    });

    test('refuses the run where one of them is not, or that of a second Ingress', () => {
      const groups = ['k8s-web', 'k8s-gone'];
      expect(foundWith({ nodePortBalancers: [{ ...balancer, groups }] }, {}, {})).toMatchObject([
        {
          severity: 'blocker',
          message:
            'the load balancer of Ingress default/shop sends to it through nodes of k8s-gone, which was not found, and is not waited for; it has endpoints on the nodes to replace',
        },
      ]);
      const second = { ...balancer, by: 'Ingress default/second', groups: [] };
      expect(foundWith({ nodePortBalancers: [balancer, second] }, {}, {})).toMatchObject([
        { severity: 'blocker', message: expect.stringContaining('the load balancer of Ingress default/second') },
      ]);
    });
  });

  test('of whose groups one was not found is', () => {
    expect(found(['arn:web', 'arn:other'], ipGroup('application'))).toHaveLength(1);
    expect(found(['arn:web'], 'none')).toHaveLength(1);
  });
});

test('Ingresses that nobody may read matter where one may send to a NodePort Service', () => {
  const cluster = { unread: [{ resource: 'ingresses.networking.k8s.io', hint: 'Add a rule.' }] };
  const found = (type: 'NodePort' | 'LoadBalancer') =>
    audit({ cluster, service: { type } }).filter(({ rule }) => rule === 'INF-015');
  expect(found('NodePort')).toMatchObject([
    {
      severity: 'warning',
      message:
        'not allowed to list them: the load balancer of one may send to a Service of type NodePort, and would not be waited for',
    },
  ]);
  expect(found('LoadBalancer')).toMatchObject([{ severity: 'info' }]);
});

describe('a group of pods without a healthy target', () => {
  const target = (ip: string, state: TargetState, reason?: string): PodTarget => {
    return { kind: 'pod', ip, port: 8_080, zone: 'a', state, ...(reason !== undefined && { reason }) };
  };
  const find = (targets: readonly PodTarget[], service = {}) =>
    audit({ group: { membership: 'pods', targets }, service }).filter(({ rule }) => rule === 'SVC-032');

  test('is told of with its targets and their states', () => {
    const targets = [target('1', 'unhealthy', 'Target.Timeout'), target('2', 'unhealthy'), target('3', 'initial')];
    expect(find(targets)).toMatchObject([
      {
        subject: 'service default/web',
        message: expect.stringContaining(
          'none of the targets of k8s-web is healthy (3 targets: 2 unhealthy (Target.Timeout), 1 initial), although 4 endpoints are ready; a pod leaves as soon as its replacement is ready and registered there',
        ),
        leavesUnprotected: true,
      },
    ]);
  });

  test('is told of when it is empty', () => {
    expect(find([])[0]?.message).toContain('none of the targets of k8s-web is healthy (it has no target)');
  });

  test('is no finding where nobody uses it, where no pod is ready, and where one target is healthy', () => {
    expect(find([target('1', 'unused')])).toEqual([]);
    expect(find([target('1', 'unhealthy')], { endpoints: [] })).toEqual([]);
    expect(find([target('1', 'unhealthy'), target('2', 'healthy')])).toEqual([]);
  });
});
