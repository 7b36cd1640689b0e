import { describe, expect, test } from 'vitest';
import type { NetworkPolicyFacts } from '../../../core/model/network-policy.ts';
import type { NodeFacts } from '../../../core/model/node.ts';
import type { PodFacts, SpreadFacts } from '../../../core/model/pod.ts';
import type { PoolFacts } from '../../../core/model/pool.ts';
import type { ServiceFacts } from '../../../core/model/service.ts';
import type { ClusterFacts } from '../../../core/model/serving.ts';
import type { TargetGroupFacts } from '../../../core/model/target-group.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import type { Finding } from '../../../core/plan/finding.ts';
import type { DrainPolicy, Policy } from '../../../core/policy/policy.ts';
import {
  aBudget,
  aGroup,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aPool,
  aService,
  aWorkload,
  onePodOnEach,
  released,
  withPodSurge,
} from '../support/facts.ts';

interface Changes {
  readonly nodes?: readonly NodeFacts[];
  readonly pods?: readonly PodFacts[];
  readonly service?: Partial<ServiceFacts>;
  readonly group?: Partial<TargetGroupFacts> | 'none';
  readonly cluster?: Partial<ClusterFacts>;
  readonly pool?: Partial<PoolFacts>;
  readonly policy?: Partial<Policy>;
}

const healthy = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' }), aNode('n4', { zone: 'b' })];
const onEach = onePodOnEach('web', healthy);
const n1Only = [aPod('web-1', 'n1'), aPod('web-2', 'n1')];

/** Five pods on four nodes, kept apart by host. */
const spreadOverHosts = (changes: Partial<SpreadFacts>): readonly PodFacts[] => {
  const spread = { topologyKey: 'kubernetes.io/hostname', maxSkew: 1, isRequired: true, countsReleased: true };
  const spreads = [{ ...spread, countsCordoned: true, ...changes }];
  return [...onEach, aPod('web-5', 'n1')].map((pod) => ({ ...pod, ownerUid: 'rs', spreads }));
};
const aged = { ...aPolicy().waits, maxConnectionAgeMs: { '*': 60_000 } };

const unreadPolicies = { resource: 'networkpolicies.networking.k8s.io', hint: 'Add a rule.' };

function byApp(app: string): NetworkPolicyFacts {
  return { key: 'NetworkPolicy default/web', selectors: [{ labels: { matchLabels: { app } } }] };
}

/** Findings for four nodes in two zones that serve one Local Service with a budget that spares one: sound unless changed. */
function audit({
  nodes = healthy,
  pods = onEach,
  service,
  group,
  cluster,
  pool,
  policy,
}: Changes = {}): readonly Finding[] {
  const web = pods.filter((pod) => pod.labels['app'] === 'web');
  const services = [aService('web', web, service)];
  const groups =
    group === 'none'
      ? []
      : [
          aGroup(
            'web',
            nodes.filter((node) => node.pool === 'web'),
            group,
          ),
        ];
  const facts = anObservation(
    { nodes, pods, services, budgets: [aBudget('web', web, web.length - 1)], ...cluster },
    groups,
  );
  const old = nodes.filter((node) => node.pool === 'web');
  return buildPlan({ policy: aPolicy(policy), run: 'run', pool: aPool(old, pool), facts }).findings;
}

const extra = (changes: Partial<PodFacts>) => [...onEach, aPod('extra-1', 'n1', changes)];
const drains = (changes: Partial<DrainPolicy>): Partial<Policy> => ({ drain: { ...aPolicy().drain, ...changes } });
const agent = (changes: Partial<PodFacts> = {}) =>
  extra({ ownerKind: 'DaemonSet', ownerName: 'agent', labels: { app: 'web' }, ...changes });

const onNode = (volumeClaim: string) => ({
  volumeClaim: `default/${volumeClaim}`,
  volume: `pv-${volumeClaim}`,
  boundBy: 'kubernetes.io/hostname',
});

/** A webhook that fails closed, and whose only pod is on that node. */
function hookOn(node: string): Changes {
  const pod = aPod('hook-1', node, { ownerKind: 'StatefulSet' });
  const hook = aService('hook', [pod], { type: 'ClusterIP', externalTrafficPolicy: 'Cluster' });
  return {
    nodes: [...healthy, aNode('x', { pool: 'other' })],
    pods: [...onEach, pod],
    cluster: {
      services: [aService('web', onEach), hook],
      webhooks: [{ key: 'ValidatingWebhookConfiguration p, webhook p', service: 'default/hook' }],
    },
  };
}

test('a webhook with two pods, or one that is handed over, keeps nobody from moving', () => {
  const one = hookOn('n1');
  const pods = [...(one.pods ?? []), aPod('hook-2', 'n2')];
  const services = [aService('web', onEach), aService('hook', pods, { type: 'ClusterIP' })];
  const two = { ...one, pods, cluster: { ...one.cluster, services } };
  expect(audit(two).map(({ rule }) => rule)).not.toContain('INF-008');
  const deployed = aPod('hook-1', 'n1', { ownerUid: 'rs' });
  const handed = {
    ...one,
    pods: [...onEach, deployed],
    cluster: {
      ...one.cluster,
      services: [aService('web', onEach), aService('hook', [deployed], { type: 'ClusterIP' })],
      workloads: [aWorkload('hook', 1, { surge: 1 })],
    },
    policy: withPodSurge(),
  };
  expect(audit(handed).map(({ rule }) => rule)).not.toContain('INF-008');
  expect(audit({ ...handed, policy: {} }).map(({ rule }) => rule)).toContain('INF-008');
});

test('a Service whose pods are on other pools may be as its owners like it', () => {
  const elsewhere = aNode('other', { pool: 'batch' });
  const facts = {
    nodes: [...healthy, elsewhere],
    pods: [aPod('web-1', 'other')],
    service: { publishNotReadyAddresses: true },
  };
  const rules = audit(facts).map((finding) => finding.rule);
  expect(rules).not.toContain('SVC-001');
  expect(rules).not.toContain('SVC-005');
});

test('a sound pool has no finding', () => {
  expect(audit()).toEqual([]);
});

const cases: readonly (readonly [rule: string, severity: string, what: string, found: Changes, sound: Changes])[] = [
  [
    'SVC-001',
    'blocker',
    'a Local Service on one node',
    { pods: n1Only },
    { pods: n1Only, service: { externalTrafficPolicy: 'Cluster' } },
  ],
  [
    'SVC-002',
    'error',
    'one serving node in a zone without cross-zone balancing',
    { pods: onEach.slice(0, 3), group: { crossZone: false } },
    { pods: onEach.slice(0, 3), group: { crossZone: true } },
  ],
  ['SVC-005', 'error', 'publishNotReadyAddresses', { service: { publishNotReadyAddresses: true } }, {}],
  [
    'SVC-006',
    'warning',
    'a slow health check',
    {
      group: {
        healthCheck: {
          protocol: 'TCP',
          port: 'traffic',
          intervalMs: 30_000,
          timeoutMs: 10_000,
          healthyThreshold: 3,
          unhealthyThreshold: 3,
        },
      },
    },
    {},
  ],
  [
    'SVC-008',
    'warning',
    'a short deregistration delay',
    { group: { deregistrationDelayMs: 60_000 } },
    { group: { deregistrationDelayMs: 120_000 } },
  ],
  [
    'SVC-020',
    'error',
    'a load balancer without visible target groups',
    { group: 'none' },
    { group: 'none', service: { type: 'ClusterIP' } },
  ],
  [
    'SVC-029',
    'warning',
    'callers that reach endpoints of their own node only',
    { service: { internalTrafficPolicy: 'Local' } },
    {},
  ],
  ['POL-003', 'error', 'a timer of nothing', { policy: { waits: { ...aPolicy().waits, marginMs: 0 } } }, {}],
  [
    'WKL-008',
    'warning',
    'a StatefulSet that stops at once',
    { pods: extra({ ownerKind: 'StatefulSet', ownerName: 'web', labels: { app: 'web' } }) },
    { pods: extra({ ownerKind: 'StatefulSet', ownerName: 'web', labels: { app: 'web' }, preStopSeconds: 5 }) },
  ],
  [
    'WKL-008',
    'warning',
    'a workload that the policy never unlists',
    { policy: { drain: { ...aPolicy().drain, keepEndpoints: ['default/web'] } } },
    {},
  ],
  [
    'WKL-008',
    'warning',
    'a controller that nobody knows',
    { pods: extra({ ownerKind: 'other', ownerName: 'game', labels: { app: 'web' } }) },
    { pods: extra({ ownerKind: 'other', ownerName: 'game', labels: { app: 'elsewhere' } }) },
  ],
  [
    'WKL-008',
    'warning',
    'a label that network policies go by',
    { cluster: { networkPolicies: [byApp('web')] } },
    { cluster: { networkPolicies: [byApp('other')] } },
  ],
  [
    'WKL-016',
    'warning',
    'a DaemonSet behind a Service whose label network policies go by',
    { pods: agent(), cluster: { networkPolicies: [byApp('web')] } },
    { pods: agent({ preStopSeconds: 60 }), cluster: { networkPolicies: [byApp('web')] } },
  ],
  [
    'INF-015',
    'warning',
    'network policies that nobody may read',
    { cluster: { unread: [unreadPolicies] } },
    { cluster: { unread: [unreadPolicies] }, policy: { waits: { ...aged, endpointPropagationMs: 0 } } },
  ],
  [
    'SVC-027',
    'warning',
    'a NodePort Service that an unseen load balancer may send to',
    { group: 'none', service: { type: 'NodePort' } },
    { group: 'none', service: { type: 'ClusterIP' } },
  ],
  [
    'CON-001',
    'warning',
    'passing connections of unknown age',
    { service: { externalTrafficPolicy: 'Cluster' } },
    { service: { externalTrafficPolicy: 'Cluster' }, policy: { waits: aged } },
  ],
  ['WKL-001', 'error', 'a single replica', { pods: [aPod('web-1', 'n1')] }, { pods: onEach.slice(0, 2) }],
  ['WKL-002', 'warning', 'no budget', { cluster: { budgets: [] } }, {}],
  ['WKL-003', 'error', 'a budget that demands every pod', { cluster: { budgets: [aBudget('web', onEach, 4)] } }, {}],
  [
    'WKL-004',
    'blocker',
    'two budgets for one pod',
    { cluster: { budgets: [aBudget('one', onEach, 3), aBudget('two', onEach.slice(0, 1), 0)] } },
    {},
  ],
  ['WKL-016', 'info', 'a DaemonSet behind a Service', { pods: agent() }, { pods: agent({ labels: { app: 'other' } }) }],
  [
    'WKL-016',
    'warning',
    'a DaemonSet that tolerates everything',
    { pods: agent({ tolerations: [{ operator: 'Exists' }] }) },
    {},
  ],
  ['WKL-017', 'blocker', 'a bare pod', { pods: extra({ ownerKind: 'none' }) }, { pods: extra({ ownerKind: 'Job' }) }],
  [
    'WKL-017',
    'blocker',
    'a bare pod, unless it was released',
    { pods: extra({ ownerKind: 'none' }) },
    { pods: extra(released('web-1', 'run-0')) },
  ],
  [
    'WKL-017',
    'warning',
    'a bare pod that may be lost',
    {
      pods: extra({ ownerKind: 'none' }),
      policy: { drain: { ...aPolicy().drain, force: true } },
    },
    { pods: extra({ ownerKind: 'none', terminating: true }) },
  ],
  [
    'WKL-019',
    'blocker',
    'a pod that the old group alone may run',
    { pods: extra({ requiredNodeLabels: { 'eks.amazonaws.com/nodegroup': ['web'] } }) },
    { pods: extra({ requiredNodeLabels: { 'eks.amazonaws.com/nodegroup': ['web', 'web-1-34'], team: ['a'] } }) },
  ],
  [
    'WKL-019',
    'blocker',
    'a pod that is pinned to its node',
    { pods: extra({ requiredNodeLabels: { 'kubernetes.io/hostname': ['n1'] } }) },
    { pods: extra({ requiredNodeLabels: { 'kubernetes.io/hostname': ['n1'] }, ownerKind: 'DaemonSet' }) },
  ],
  [
    'WKL-029',
    'blocker',
    'more pods than fit beside emptied nodes',
    { pods: spreadOverHosts({}), cluster: { workloads: [aWorkload('web', 5, { surge: 1 })] } },
    { pods: spreadOverHosts({ countsCordoned: false }), cluster: { workloads: [aWorkload('web', 5, { surge: 1 })] } },
  ],
  [
    'WKL-029',
    'blocker',
    'more pods than fit on new nodes, and none that is handed over where released pods count',
    {
      pods: spreadOverHosts({ countsReleased: false }),
      cluster: { workloads: [aWorkload('web', 5, { surge: 1 })] },
      policy: withPodSurge(),
    },
    { pods: spreadOverHosts({}), cluster: { workloads: [aWorkload('web', 5, { surge: 1 })] }, policy: withPodSurge() },
  ],
  [
    'WKL-018',
    'blocker',
    'emptyDir data',
    { pods: extra({ hasEmptyDir: true }) },
    { pods: extra({ hasEmptyDir: true, ownerKind: 'DaemonSet' }) },
  ],
  [
    'WKL-018',
    'info',
    'emptyDir data that may be lost',
    {
      pods: extra({ hasEmptyDir: true }),
      policy: { drain: { ...aPolicy().drain, deleteEmptyDirData: true } },
    },
    {},
  ],
  [
    'WKL-021',
    'warning',
    'a pod that may stop for longer than evictions have',
    { pods: extra({ terminationGracePeriodSeconds: 901 }) },
    { pods: extra({ terminationGracePeriodSeconds: 900 }) },
  ],
  [
    'WKL-017',
    'blocker',
    'a pod of a DaemonSet that is gone',
    { pods: extra({ ownerKind: 'DaemonSet', ownerName: 'agent', orphaned: true }) },
    { pods: extra({ ownerKind: 'DaemonSet', ownerName: 'agent' }) },
  ],
  [
    'WKL-017',
    'warning',
    'a bare pod that is safe to evict',
    { pods: extra({ ownerKind: 'none', safeToEvict: 'true' }) },
    { pods: extra({ ownerKind: 'none' }) },
  ],
  [
    'WKL-018',
    'info',
    'emptyDir data of a pod that is safe to evict',
    { pods: extra({ hasEmptyDir: true, safeToEvict: 'true' }) },
    { pods: extra({ hasEmptyDir: true }) },
  ],
  [
    'WKL-025',
    'blocker',
    'a pod that is not safe to evict',
    { pods: extra({ safeToEvict: 'false' }) },
    { pods: extra({ safeToEvict: 'false' }), policy: drains({ doNotDisrupt: 'wait' }) },
  ],
  [
    'WKL-025',
    'blocker',
    'a pod that may not be disrupted',
    { pods: extra({ doNotDisrupt: 'for-good' }) },
    { pods: extra({ doNotDisrupt: 'for-good' }), policy: drains({ doNotDisrupt: 'evict' }) },
  ],
  ['WKL-025', 'warning', 'a pod that runs to its end', { pods: extra({ safeToEvict: 'on-completion' }) }, {}],
  [
    'WKL-025',
    'warning',
    'a pod that may not be disrupted for some time',
    { pods: extra({ doNotDisrupt: 1 }) },
    { pods: extra({ doNotDisrupt: 0 }) },
  ],
  [
    'WKL-025',
    'warning',
    'a wish of a pod that belongs to its node',
    { pods: extra({ doNotDisrupt: 'for-good', ownerKind: 'DaemonSet' }) },
    { pods: extra({ safeToEvict: 'true' }) },
  ],
  [
    'WKL-025',
    'warning',
    'a wish that the policy overrules',
    { pods: extra({ safeToEvict: 'false' }), policy: drains({ doNotDisrupt: 'evict' }) },
    { pods: extra({}) },
  ],
  [
    'WKL-026',
    'warning',
    'a Job that would start again from the beginning',
    { pods: extra({ ownerKind: 'Job' }) },
    { pods: extra({ ownerKind: 'Job' }), policy: drains({ jobs: 'wait' }) },
  ],
  [
    'WKL-026',
    'info',
    'a Job that is waited for',
    { pods: extra({ ownerKind: 'Job' }), policy: drains({ jobs: 'wait' }) },
    { pods: extra({ ownerKind: 'Job', phase: 'Succeeded' }), policy: drains({ jobs: 'wait' }) },
  ],
  [
    'WKL-027',
    'error',
    'a pod that hangs in termination',
    { pods: extra({ terminating: true, killedAt: -60_000 }) },
    { pods: extra({ terminating: true, killedAt: -59_999 }) },
  ],
  [
    'WKL-028',
    'warning',
    'a workload that rolls out',
    { cluster: { workloads: [aWorkload('web', 4, { rollingOut: true })] } },
    { cluster: { workloads: [aWorkload('web', 4)] } },
  ],
  [
    'WKL-028',
    'warning',
    'a workload that has stopped half way in a rollout',
    { cluster: { workloads: [aWorkload('web', 4, { stalled: 'timed out' })] } },
    { cluster: { workloads: [aWorkload('elsewhere', 4, { stalled: 'timed out' })] } },
  ],
  [
    'INF-013',
    'blocker',
    'a node that may not be disrupted',
    { nodes: [aNode('n1', { doNotDisrupt: true }), ...healthy.slice(1)] },
    { nodes: [aNode('n1', { doNotDisrupt: true }), ...healthy.slice(1)], policy: drains({ doNotDisrupt: 'wait' }) },
  ],
  [
    'INF-013',
    'warning',
    'a node that is replaced all the same',
    { nodes: [aNode('n1', { doNotDisrupt: true }), ...healthy.slice(1)], policy: drains({ doNotDisrupt: 'evict' }) },
    { nodes: [...healthy, aNode('x', { pool: 'other', doNotDisrupt: true })] },
  ],
  ['INF-003', 'blocker', 'a pool that its cloud is updating', { pool: { status: 'updating' } }, {}],
  ['INF-003', 'error', 'a degraded pool', { pool: { status: 'degraded', problems: ['AutoScalingGroupNotFound'] } }, {}],
  [
    'INF-004',
    'warning',
    'a foreign cordon',
    { nodes: [...healthy, aNode('x', { pool: 'other', cordoned: true })] },
    { nodes: [...healthy, aNode('x', { pool: 'other', cordoned: true, ownership: { cordonedBy: 'run' } })] },
  ],
  [
    'INF-004',
    'warning',
    'a foreign exclusion',
    { nodes: [...healthy, aNode('x', { pool: 'other', excluded: true })] },
    {},
  ],
  [
    'INF-004',
    'warning',
    'a node that the autoscaler is about to delete',
    {
      nodes: [
        ...healthy,
        aNode('x', { pool: 'other', taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] }),
      ],
    },
    { nodes: [...healthy, aNode('x', { pool: 'other', taints: [{ key: 'dedicated', effect: 'NoSchedule' }] })] },
  ],
  [
    'WKL-030',
    'warning',
    'pods that tolerate every taint',
    { pods: onePodOnEach('web', healthy, { tolerations: [{ operator: 'Exists' }] }) },
    { pods: onePodOnEach('web', healthy, { tolerations: [{ key: 'gpu', operator: 'Exists' }] }) },
  ],
  [
    'WKL-031',
    'blocker',
    'a volume that is on its node',
    { pods: extra({ volumeClaims: ['data'] }), cluster: { localVolumes: [onNode('data')] } },
    {
      pods: extra({ volumeClaims: ['data', 'own'], ownVolumeClaims: ['own'] }),
      cluster: { localVolumes: [onNode('other'), onNode('own')] },
    },
  ],
  [
    'WKL-032',
    'info',
    'an autoscaler that resizes',
    { cluster: { resizers: [{ key: 'VerticalPodAutoscaler default/web', workload: 'Deployment default/web' }] } },
    { cluster: { resizers: [{ key: 'VerticalPodAutoscaler default/x', workload: 'Deployment default/x' }] } },
  ],
  [
    'INF-016',
    'warning',
    'a node of Windows',
    { nodes: [aNode('n1', { labels: { 'kubernetes.io/os': 'windows' } }), ...healthy.slice(1)] },
    { nodes: [...healthy, aNode('x', { pool: 'other', labels: { 'kubernetes.io/os': 'windows' } })] },
  ],
  ['INF-008', 'error', 'a webhook whose only pod is on the pool', hookOn('n1'), hookOn('x')],
  [
    'INF-004',
    'warning',
    'a node that Karpenter disrupts',
    {
      nodes: [
        ...healthy,
        aNode('x', { pool: 'other', taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] }),
      ],
    },
    {},
  ],
  ['INF-012', 'blocker', 'a pool without nodes', { nodes: [], pods: [] }, {}],
  [
    'INF-012',
    'warning',
    'a machine that is no node',
    { pool: { instances: [{ instanceId: 'i-stray', zone: 'a', state: 'running' }] } },
    { pool: { instances: [{ instanceId: 'i-stray', zone: 'a', state: 'terminated' }] } },
  ],
  ['GRD-001', 'blocker', 'floors that never let a node go', { cluster: { budgets: [aBudget('web', onEach, 4)] } }, {}],
  [
    'GRD-001',
    'blocker',
    'a zone with one serving node',
    { pods: onEach.slice(0, 3), group: { crossZone: false } },
    { pods: onEach.slice(0, 3), group: { crossZone: false }, policy: { disabledRules: ['capacity-guard'] } },
  ],
  [
    'POL-001',
    'warning',
    'a floor for an unknown Service',
    { policy: { guard: { ...aPolicy().guard, minServing: { 'default/wbe': { targets: 1 } } } } },
    { policy: { guard: { ...aPolicy().guard, minServing: { 'default/web': { targets: 1 } } } } },
  ],
  [
    'POL-002',
    'error',
    'a rule that is switched off',
    { policy: { disabledRules: ['remove-endpoints-before-eviction'] } },
    {},
  ],
];

describe('audit', () => {
  test.each(cases)('%s finds as %s: %s', (rule, severity, _, found, sound) => {
    const findings = audit(found).filter((finding) => finding.rule === rule);
    expect(findings.map((finding) => finding.severity)).toContain(severity);
    for (const finding of findings) {
      expect(finding.message).not.toBe('');
      expect(finding.hint).not.toBe('');
    }
    const others = audit(sound).filter((finding) => finding.rule === rule && finding.severity === severity);
    expect(others).toEqual([]);
  });

  test('lists the worst first', () => {
    const severities = audit({
      pods: extra({ ownerKind: 'none' }),
      service: { publishNotReadyAddresses: true },
      cluster: { budgets: [] },
    }).map((finding) => finding.severity);
    expect(severities).toEqual(['blocker', 'error', 'warning']);
  });

  test('tells who has to act where', () => {
    expect(audit({ cluster: { budgets: [aBudget('web', onEach, 4)] } })[0]).toMatchObject({
      rule: 'GRD-001',
      subject: 'nodes n1, n3, n2 and 1 more',
      message:
        'the minimum serving never allows them to be excluded: n1 waits: budget default/web has 4 reachable pods and must keep 4',
    });
  });
});
