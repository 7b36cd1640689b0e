import { test } from 'vitest';
import { googleTerms } from '../../../adapters/gcp/load-balancers/cloud-terms.ts';
import { checkedBy, expectFinding, patient, probed, type RuleCase, webPods } from '../support/audited-cluster.ts';
import { aGroup, aNode, anUnsupported, aPod, aService } from '../support/facts.ts';

const cluster = { externalTrafficPolicy: 'Cluster' } as const;
const drainsNothing = { deregistrationDelayMs: 0, terminatesConnectionsAfterDelay: 'unknown' } as const;
const successor = 'Create the Service anew.';
const gated = webPods({ lifecycle: { ...probed, readinessGates: ['target-health'] } });
const webhook = {
  key: 'MutatingWebhookConfiguration aws-load-balancer-webhook, webhook mpod.elbv2.k8s.aws',
  service: 'kube-system/aws-load-balancer-webhook-service',
};
const proxy = (kubeletVersion: string, path: string) => ({
  nodes: [aNode('n1', { kubeletVersion }), aNode('n2', { kubeletVersion })],
  pods: [
    ...webPods().slice(0, 2),
    aPod('kube-proxy-1', 'n1', {
      namespace: 'kube-system',
      labels: { 'k8s-app': 'kube-proxy' },
      ownerKind: 'DaemonSet',
      ownerName: 'kube-proxy',
      workload: 'DaemonSet kube-system/kube-proxy',
      lifecycle: { containers: ['kube-proxy'], liveness: { container: 'kube-proxy', path } },
    }),
  ],
});
/** Nodes of pool `web`, all in one zone. */
const crowd = (nodes: number) => ({
  nodes: Array.from({ length: nodes }, (_, index) => aNode(`n${index + 1}`)),
});
const pooled = (label: string, value: string) => ({
  nodes: ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name, { labels: { [label]: value } })),
});
const nodegroup = 'eks.amazonaws.com/nodegroup';

const cases: readonly RuleCase[] = [
  {
    rule: 'SVC-007',
    severity: 'error',
    what: 'a Classic Load Balancer that nobody told to drain',
    found: { service: { cutsConnections: true }, unsupported: [anUnsupported('web')] },
    says: 'closes the connections of a node as soon as the node is taken out',
    object: 'Service default/web',
    fix: '"service.beta.kubernetes.io/aws-load-balancer-connection-draining-enabled":"true","service.beta.kubernetes.io/aws-load-balancer-connection-draining-timeout":"300"',
    boundary: { service: { cutsConnections: true }, pods: webPods().slice(0, 2), audited: ['n3', 'n4'] },
  },
  {
    rule: 'SVC-010',
    severity: 'info',
    what: 'lasting connections that nobody closes',
    found: { service: { longLived: 'grpc' } },
    says: 'grpc connections that are left after 5m (k8s-web) last until their pod stops',
    fix: 'deregistration_delay.connection_termination.enabled=true',
    boundary: { service: { longLived: 'grpc' }, group: { terminatesConnectionsAfterDelay: true } },
  },
  {
    rule: 'SVC-013',
    severity: 'info',
    what: 'a webhook for readiness gates that fails open',
    found: { pods: gated, cluster: { webhooks: [{ ...webhook, failsOpen: true }] } },
    says: 'webhook mpod.elbv2.k8s.aws fails open, and 4 pods on these nodes',
    object: 'MutatingWebhookConfiguration aws-load-balancer-webhook',
    fix: 'podMutatorWebhookConfig.failurePolicy=Fail',
    boundary: { pods: gated, cluster: { webhooks: [webhook] } },
  },
  {
    rule: 'SVC-014',
    severity: 'error',
    what: 'a target pool',
    found: { group: { ...drainsNothing, successor } },
    says: 'k8s-web drains no connections, and its sort of load balancer has a successor that does',
    fix: successor,
    boundary: { group: { deregistrationDelayMs: 30_000, terminatesConnectionsAfterDelay: true, successor } },
  },
  {
    rule: 'SVC-030',
    severity: 'error',
    what: 'a load balancer that drains nothing',
    found: { group: { ...drainsNothing, terminatesConnectionsAfterDelay: true } },
    says: 'k8s-web drains no connections: it cuts established ones as soon as a node is deregistered',
    object: 'Service default/web',
    boundary: { group: { deregistrationDelayMs: 1_000, terminatesConnectionsAfterDelay: true } },
  },
  {
    rule: 'SVC-015',
    severity: 'warning',
    what: 'UDP without draining',
    found: { service: { usesUdp: true }, group: drainsNothing },
    says: 'it has a UDP port, and k8s-web drains nothing',
    boundary: { group: drainsNothing },
  },
  {
    rule: 'SVC-017',
    severity: 'blocker',
    what: 'targets that are chosen by the name of their pool',
    found: { ...pooled(nodegroup, 'web'), service: { targetNodeLabels: { [nodegroup]: 'web' } } },
    says: `takes only nodes with label ${nodegroup}=web, which no new node has`,
    fix: '"service.beta.kubernetes.io/aws-load-balancer-target-node-labels":null',
    boundary: { ...pooled('role', 'edge'), service: { targetNodeLabels: { role: 'edge' } } },
  },
  {
    rule: 'SVC-017',
    severity: 'blocker',
    what: 'a label of the pool with a value, not one that may have any',
    found: { ...pooled(nodegroup, 'web'), service: { targetNodeLabels: { [nodegroup]: 'web' } } },
    says: 'left without a target',
    boundary: { ...pooled(nodegroup, 'web'), service: { targetNodeLabels: { [nodegroup]: '' } } },
  },
  {
    rule: 'SVC-023',
    severity: 'warning',
    what: 'a liveness probe of kube-proxy on /healthz',
    found: proxy('v1.30.0', '/healthz'),
    says: '1 pod: the kubelet restarts it while the cluster autoscaler removes its node',
    object: 'DaemonSet kube-system/kube-proxy',
    fix: '{"name":"kube-proxy","livenessProbe":{"httpGet":{"path":"/livez"}}}',
    boundary: proxy('v1.29.9', '/healthz'),
  },
  {
    rule: 'SVC-023',
    severity: 'warning',
    what: 'nothing in a probe on /livez',
    found: proxy('v1.33.0', '/healthz'),
    says: '/healthz',
    boundary: proxy('v1.33.0', '/livez'),
  },
  {
    rule: 'SVC-024',
    severity: 'info',
    what: 'clients that a Service keeps at one pod',
    found: { service: { clientAffinity: true } },
    says: 'sessionAffinity: ClientIP keeps each client at one pod',
    fix: '{"spec":{"sessionAffinity":"None"}}',
    boundary: { service: { clientAffinity: true }, pods: webPods().slice(0, 2), audited: ['n3', 'n4'] },
  },
  {
    rule: 'SVC-024',
    severity: 'info',
    what: 'clients that a target group keeps at one target',
    found: { group: { sticky: true } },
    says: 'k8s-web keeps each client at one target',
    fix: 'stickiness.enabled=false',
    boundary: {},
  },
  {
    rule: 'SVC-031',
    severity: 'warning',
    what: 'pods in a zone that the load balancer does not use',
    found: { group: { zones: ['a'] } },
    says: '2 of 4 ready endpoints are in b, and its load balancer only in a',
    object: 'Service default/web',
    boundary: { group: { zones: ['a'] }, service: cluster },
  },
  {
    rule: 'SVC-025',
    severity: 'warning',
    what: 'more targets than a load balancer can have, old and new nodes together',
    found: { ...crowd(11), group: { maxTargets: { targets: 20, perZone: false } } },
    says: 'nlb-web can have 20 targets as far as is known, and would have 22 nodes with 11 new ones',
    fix: 'spec.nodeSurge',
    boundary: { ...crowd(10), group: { maxTargets: { targets: 20, perZone: false } } },
  },
  {
    rule: 'SVC-025',
    severity: 'warning',
    what: 'more targets in a zone than a load balancer can have there',
    found: { ...crowd(3), group: { maxTargets: { targets: 5, perZone: true } } },
    says: 'can have 5 targets in a as far as is known, and would have 6 nodes with 3 new ones',
    boundary: { group: { maxTargets: { targets: 5, perZone: true } } },
  },
  {
    rule: 'SVC-025',
    severity: 'warning',
    what: 'hosts only, where only they become targets',
    found: { group: { maxTargets: { targets: 7, perZone: false }, membership: 'hosts-only' } },
    says: 'would have 8 nodes with 4 new ones',
    boundary: {
      ...crowd(10),
      pods: webPods().slice(0, 3),
      group: { maxTargets: { targets: 7, perZone: false }, membership: 'hosts-only' },
    },
  },
];

test.each(cases)('$rule ($severity) finds $what', (one) => {
  expectFinding(one);
});

const gate = 'cloud.google.com/load-balancer-neg-ready';

test('WKL-024 (warning) finds pods whose gate was opened by a time-out', () => {
  const opened = (reason: string) => webPods({ gatesOpenedBy: { [gate]: reason } });
  expectFinding({
    rule: 'WKL-024',
    severity: 'warning',
    what: '',
    found: { pods: opened('LoadBalancerNegTimeout'), terms: googleTerms },
    says: `4 pods: readiness gate ${gate} opened with LoadBalancerNegTimeout`,
    object: 'Deployment default/web',
    boundary: { pods: opened('LoadBalancerNegReady'), terms: googleTerms },
  });
});

test('SVC-026 (info) finds pods behind load balancers that react after different times', () => {
  const pods = webPods();
  const two = (intervalMs: number) => {
    const { healthCheck } = checkedBy({ intervalMs });
    const services = [aService('web', pods), aService('api', pods, { selector: { app: 'web' } })];
    return { pods, cluster: { services }, more: [aGroup('api', [], { healthCheck, unhealthyLagMs: 40_000 })] };
  };
  expectFinding({
    rule: 'SVC-026',
    severity: 'info',
    what: '',
    found: two(5_000),
    says: '4 pods: their load balancers send on for different times after an eviction (default/api 59s, default/web 1m 13s)',
    object: 'Deployment default/web',
    boundary: two(10_000),
  });
});

test('a Service that is served by others does not concern the audited nodes', () => {
  expectFinding({
    rule: 'SVC-015',
    severity: 'warning',
    what: '',
    found: { service: { usesUdp: true, ...cluster }, group: drainsNothing, pods: webPods(patient) },
    says: 'UDP',
    boundary: {
      service: { usesUdp: true, ...cluster },
      group: drainsNothing,
      pods: webPods().slice(0, 1),
      audited: ['n4'],
    },
  });
});
