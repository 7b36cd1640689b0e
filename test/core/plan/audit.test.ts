import { describe, expect, test } from 'vitest';
import { excludeLabel } from '../../../core/model/labels.ts';
import {
  type AuditCase,
  aged,
  audit,
  expectCase,
  extra,
  hookOn,
  n1Only,
  unreadPolicies,
} from '../support/audited-pool.ts';
import {
  aBudget,
  aNode,
  aPod,
  aService,
  aWorkload,
  withDrain,
  withGuard,
  withPodSurge,
  withWaits,
} from '../support/facts.ts';
import { nodes, pods as onEach } from '../support/scene.ts';

test('a webhook with two pods, or with one that is surged, does not prevent pods from moving', () => {
  const one = hookOn('n1');
  const pods = [...(one.pods ?? []), aPod('hook-2', 'n2')];
  const services = [aService('web', onEach), aService('hook', pods, { type: 'ClusterIP' })];
  const two = { ...one, pods, cluster: { ...one.cluster, services } };
  expect(audit(two).map(({ rule }) => rule)).not.toContain('INF-008');
  const deployed = aPod('hook-1', 'n1', { ownerUid: 'rs' });
  const surged = {
    ...one,
    pods: [...onEach, deployed],
    cluster: {
      ...one.cluster,
      services: [aService('web', onEach), aService('hook', [deployed], { type: 'ClusterIP' })],
      workloads: [aWorkload('hook', 1, { surge: 1 })],
    },
    policy: withPodSurge(),
  };
  expect(audit(surged).map(({ rule }) => rule)).not.toContain('INF-008');
  expect(audit({ ...surged, policy: {} }).map(({ rule }) => rule)).toContain('INF-008');
});

test('a Service whose pods are on other pools has no finding', () => {
  const elsewhere = aNode('other', { pool: 'batch' });
  const facts = {
    nodes: [...nodes, elsewhere],
    pods: [aPod('web-1', 'other')],
    service: { publishNotReadyAddresses: true },
  };
  const rules = audit(facts).map((finding) => finding.rule);
  expect(rules).not.toContain('SVC-001');
  expect(rules).not.toContain('SVC-005');
});

test('a Service that another pool alone serves has no finding about its one node', () => {
  const elsewhere = aNode('other', { pool: 'batch' });
  const facts = (state: object) => ({
    nodes: [...nodes, elsewhere],
    pods: [aPod('web-1', 'other'), aPod('web-2', 'n1', state)],
  });
  const rulesOf = (state: object) => audit(facts(state)).map(({ rule }) => rule);
  expect(rulesOf({ ready: false })).not.toContain('SVC-001');
  expect(rulesOf({ terminating: true })).not.toContain('SVC-001');
  const moved = { ...facts({}), pods: [aPod('web-1', 'other', { ready: false }), aPod('web-2', 'n1')] };
  expect(audit(moved)).toContainEqual(
    expect.objectContaining({
      rule: 'SVC-001',
      message: 'policy Local and ready endpoints on 1 node, n1: nothing serves while it leaves',
    }),
  );
});

test.each([
  ['somebody else', {}, true],
  ['a run', { cordonedBy: 'run' }, false],
])(
  'a cordon of %s, where controllers read the label with the cordon, has to be removed unless a run has set it',
  (_, ownership, told) => {
    const cordoned = aNode('n1', { cordoned: true, ownership });
    const facts = { nodes: [cordoned, ...nodes.slice(1)], group: { readsLabelWithCordon: true } } as const;
    const hints = audit(facts).map(({ hint }) => hint);
    expect(hints.some((hint) => hint.includes('kubectl uncordon n1'))).toBe(told);
  },
);

test.each([
  ['node', {}],
  ['pod', { membership: 'pods' }],
] as const)(
  'a load balancer that drains nothing is told of once, with what is waited for instead: a %s',
  (what, of) => {
    const group = { deregistrationDelayMs: 0, terminatesConnectionsAfterDelay: true, ...of };
    const found = audit({ group }).filter(({ subject }) => subject === 'service default/web');
    expect(found.map(({ rule, message }) => `${rule} ${message}`)).toEqual([
      `SVC-030 k8s-web drains no connections: it cuts established ones as soon as a ${what} is deregistered; before pods leave, only new connections are waited for, 3m 15s`,
    ]);
  },
);

test('a sound pool has no finding', () => {
  expect(audit()).toEqual([]);
});

const nodegroup = 'eks.amazonaws.com/nodegroup';
const labelled = nodes.map((node) => ({ ...node, labels: { [nodegroup]: 'web' } }));

/** A part of the API that a pod on that node serves alone. */
function serving(node: string) {
  const { cluster, ...rest } = hookOn(node);
  const apiServices = [{ key: 'APIService v1.metrics', service: 'default/hook' }];
  return { ...rest, cluster: { ...cluster, webhooks: [], apiServices } };
}

const cases: readonly AuditCase[] = [
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
  [
    'SVC-029',
    'warning',
    'callers that reach endpoints of their own node only, unless a DaemonSet has one on each',
    { service: { internalTrafficPolicy: 'Local' } },
    {
      pods: onEach.map((pod) => ({ ...pod, ownerKind: 'DaemonSet' as const })),
      service: { internalTrafficPolicy: 'Local' },
    },
  ],
  [
    'SVC-030',
    'error',
    'a load balancer that cuts connections at once',
    { group: { deregistrationDelayMs: 0, terminatesConnectionsAfterDelay: true } },
    { group: { deregistrationDelayMs: 0, terminatesConnectionsAfterDelay: false } },
  ],
  [
    'SVC-030',
    'error',
    'a load balancer of which nobody says that it does not',
    { group: { deregistrationDelayMs: 0, terminatesConnectionsAfterDelay: 'unknown' } },
    { group: { deregistrationDelayMs: 120_000, terminatesConnectionsAfterDelay: 'unknown' } },
  ],
  ['POL-003', 'error', 'a timer of nothing', { policy: withWaits({ marginMs: 0 }) }, {}],
  [
    'INF-015',
    'warning',
    'network policies that nobody may read',
    { cluster: { unread: [unreadPolicies] } },
    { cluster: { unread: [unreadPolicies] }, policy: { waits: { ...aged.waits, endpointPropagationMs: 0 } } },
  ],
  [
    'SVC-027',
    'warning',
    'a NodePort Service that an unobserved load balancer may send to',
    { group: 'none', service: { type: 'NodePort' } },
    { group: 'none', service: { type: 'ClusterIP' } },
  ],
  [
    'CON-001',
    'warning',
    'forwarded connections of unknown age',
    { service: { externalTrafficPolicy: 'Cluster' } },
    { service: { externalTrafficPolicy: 'Cluster' }, policy: aged },
  ],
  [
    'INF-013',
    'blocker',
    'a node that may not be disrupted',
    { nodes: [aNode('n1', { doNotDisrupt: true }), ...nodes.slice(1)] },
    { nodes: [aNode('n1', { doNotDisrupt: true }), ...nodes.slice(1)], policy: withDrain({ doNotDisrupt: 'wait' }) },
  ],
  [
    'INF-013',
    'warning',
    'a node that is replaced in spite of do-not-disrupt',
    { nodes: [aNode('n1', { doNotDisrupt: true }), ...nodes.slice(1)], policy: withDrain({ doNotDisrupt: 'evict' }) },
    { nodes: [...nodes, aNode('x', { pool: 'other', doNotDisrupt: true })] },
  ],
  ['INF-003', 'blocker', 'a pool that its cloud is updating', { pool: { status: 'updating' } }, {}],
  ['INF-003', 'error', 'a degraded pool', { pool: { status: 'degraded', problems: ['AutoScalingGroupNotFound'] } }, {}],
  [
    'INF-004',
    'warning',
    'an external cordon',
    { nodes: [...nodes, aNode('x', { pool: 'other', cordoned: true })] },
    { nodes: [...nodes, aNode('x', { pool: 'other', cordoned: true, ownership: { cordonedBy: 'run' } })] },
  ],
  [
    'INF-004',
    'warning',
    'an external exclusion',
    { nodes: [...nodes, aNode('x', { pool: 'other', excluded: true })] },
    {},
  ],
  [
    'INF-004',
    'warning',
    'an exclude label whose value says no',
    { nodes: [...nodes, aNode('x', { pool: 'other', deniesExclusion: true })] },
    {},
  ],
  [
    'INF-004',
    'warning',
    'a node that the autoscaler is about to delete',
    {
      nodes: [
        ...nodes,
        aNode('x', { pool: 'other', taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] }),
      ],
    },
    { nodes: [...nodes, aNode('x', { pool: 'other', taints: [{ key: 'dedicated', effect: 'NoSchedule' }] })] },
  ],
  [
    'INF-016',
    'warning',
    'a Windows node',
    { nodes: [aNode('n1', { labels: { 'kubernetes.io/os': 'windows' } }), ...nodes.slice(1)] },
    { nodes: [...nodes, aNode('x', { pool: 'other', labels: { 'kubernetes.io/os': 'windows' } })] },
  ],
  ['INF-008', 'error', 'a webhook whose only pod is on the pool', hookOn('n1'), hookOn('x')],
  [
    'INF-004',
    'warning',
    'a node that Karpenter disrupts',
    {
      nodes: [
        ...nodes,
        aNode('x', { pool: 'other', taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] }),
      ],
    },
    {},
  ],
  ['INF-022', 'error', 'a target group that is attached to the pool', { pool: { attached: ['api'] } }, {}],
  ['INF-023', 'warning', 'a setting that a new pool does not get', { pool: { ownSettings: ['tag a=b'] } }, {}],
  ['INF-012', 'blocker', 'a pool without nodes', { nodes: [], pods: [] }, {}],
  [
    'INF-012',
    'warning',
    'an instance that is not a node',
    { pool: { instances: [{ instanceId: 'i-unjoined', zone: 'a', state: 'running' }] } },
    { pool: { instances: [{ instanceId: 'i-unjoined', zone: 'a', state: 'terminated' }] } },
  ],
  ['INF-009', 'warning', 'the only pod of a part of the API', serving('n1'), serving('x')],
  ['SVC-018', 'blocker', 'a pool that excludes its nodes', { pool: { labels: { [excludeLabel]: 'true' } } }, {}],
  [
    'SVC-018',
    'blocker',
    'a pool that excludes its nodes, unless all targets are pods',
    { pool: { labels: { [excludeLabel]: 'true' } } },
    { pool: { labels: { [excludeLabel]: 'true' } }, group: { membership: 'pods' } },
  ],
  [
    'SVC-017',
    'blocker',
    'targets that only nodes of the old pool can be',
    { nodes: labelled, service: { targetNodeLabels: { [nodegroup]: 'web' } } },
    { nodes: labelled, service: { targetNodeLabels: { [nodegroup]: 'web-1-34' } } },
  ],
  [
    'SVC-017',
    'blocker',
    'them, unless nodes that stay can be targets too',
    { nodes: labelled, service: { targetNodeLabels: { [nodegroup]: 'web' } } },
    {
      nodes: [...labelled, aNode('x', { pool: 'other', labels: { [nodegroup]: 'web' } })],
      service: { targetNodeLabels: { [nodegroup]: 'web' } },
    },
  ],
  [
    'SVC-017',
    'blocker',
    'them, unless all targets are pods',
    { nodes: labelled, service: { targetNodeLabels: { [nodegroup]: 'web' } } },
    { nodes: labelled, service: { targetNodeLabels: { [nodegroup]: 'web' } }, group: { membership: 'pods' } },
  ],
  [
    'SVC-025',
    'warning',
    'more targets than its load balancer can have, unless new nodes come in waves',
    { group: { maxTargets: { targets: 7, perZone: false } } },
    { group: { maxTargets: { targets: 7, perZone: false } }, policy: { nodeSurge: { instances: 3 } } },
  ],
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
    'a minimum serving for an unknown Service',
    { policy: withGuard({ minServing: { 'default/wbe': { targets: 1 } } }) },
    { policy: withGuard({ minServing: { 'default/web': { targets: 1 } } }) },
  ],
  ['POL-002', 'error', 'a disabled rule', { policy: { disabledRules: ['remove-endpoints-before-eviction'] } }, {}],
];

describe('audit', () => {
  test.each(cases)('%s finds as %s: %s', (...one) => {
    expectCase(one);
  });

  test('lists the most severe findings first', () => {
    const severities = audit({
      pods: extra({ ownerKind: 'none' }),
      service: { publishNotReadyAddresses: true },
      cluster: { budgets: [] },
    }).map((finding) => finding.severity);
    expect(severities).toEqual(['blocker', 'error', 'warning']);
  });

  test('says what to change and where', () => {
    expect(audit({ cluster: { budgets: [aBudget('web', onEach, 4)] } })[0]).toMatchObject({
      rule: 'GRD-001',
      severity: 'blocker',
      subject: 'nodes n1, n3, n2 and 1 more',
      message:
        'the minimum serving never allows them to be excluded: n1 waits: budget default/web has 4 reachable pods and must keep 4',
    });
  });
});
