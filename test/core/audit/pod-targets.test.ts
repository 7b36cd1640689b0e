/** What the audit says where pods are the targets of load balancers, in groups as the adapters read them. */
import { describe, expect, test } from 'vitest';
import { googleTerms } from '../../../adapters/gcp/load-balancers/cloud-terms.ts';
import type { PodGroupsFacts } from '../../../core/model/service.ts';
import { auditOf, expectFinding, patient, probed, type RuleCase, webPods } from '../support/audited-cluster.ts';
import { aGroup, anUnsupported, aPod, aWorkload } from '../support/facts.ts';
import { ipGroup } from '../support/ip-group.ts';

const gate = 'target-health.elbv2.k8s.aws/k8s-web';
const networkLoadBalancer = ipGroup('network', { 'proxy_protocol_v2.enabled': 'true' });
/** That of an Ingress, whose Service needs no type of its own. */
const ofIngress = {
  group: ipGroup('application'),
  service: { type: 'ClusterIP', externalTrafficPolicy: 'Cluster' },
} as const;
const inNodes = { group: { membership: 'all-nodes' }, service: ofIngress.service } as const;
const sleeping = (preStopSeconds: number) => webPods({ preStopSeconds, terminationGracePeriodSeconds: 300 });
const gated = (gateOfPod: string) => webPods({ lifecycle: { ...probed, readinessGates: [gateOfPod] } });

test('rules about nodes and policy Local leave pods alone', () => {
  const readiness = { container: 'server', periodSeconds: 10, failureThreshold: 1 };
  const found = auditOf({
    group: networkLoadBalancer,
    service: { healthCheckNodePort: 0 },
    pods: webPods({ lifecycle: { containers: ['server'], readiness, readinessGates: [gate] } }),
    cluster: { workloads: [aWorkload('web', 4, { minReadySeconds: 0, mayLack: 1 })] },
    more: [{ ...ipGroup('application'), service: 'default/api' }],
  }).findings.map(({ rule }) => rule);

  const ofNodes = ['SVC-001', 'SVC-003', 'SVC-004', 'SVC-009', 'SVC-011', 'SVC-026', 'WKL-009', 'WKL-015'];
  expect(found.filter((rule) => ofNodes.includes(rule))).toEqual([]);
});

test('the nodes of a Service with both sorts of groups are still asked about', () => {
  const group = { healthCheck: { ...aGroup('web', []).healthCheck, port: 'traffic-port' } };
  const messages = auditOf({ group, more: [networkLoadBalancer] }).findings.filter(({ rule }) => rule === 'SVC-003');
  expect(messages.map(({ message }) => message)).toEqual([expect.stringContaining('(k8s-web: HTTP on traffic-port)')]);
});

const cases: readonly RuleCase[] = [
  {
    rule: 'SVC-012',
    severity: 'error',
    what: 'pods as targets without readiness gates',
    found: { group: networkLoadBalancer },
    says: '4 of 4 pods have no readiness gate',
    object: 'Service default/web',
    fix: 'kubectl label namespace default elbv2.k8s.aws/pod-readiness-gate-inject=enabled eks.amazonaws.com/pod-readiness-gate-inject=enabled\nkubectl -n default rollout restart deployment web',
    boundary: { group: networkLoadBalancer, pods: gated(gate) },
  },
  {
    rule: 'SVC-012',
    severity: 'error',
    what: 'pods without one behind a load balancer of EKS Auto Mode too',
    found: ofIngress,
    says: '4 of 4 pods have no readiness gate',
    boundary: { ...ofIngress, pods: gated('target-health.eks.amazonaws.com/k8s-default-web') },
  },
  {
    rule: 'SVC-012',
    severity: 'error',
    what: 'a readiness gate of somebody else',
    found: { ...ofIngress, pods: gated('example.com/warm') },
    says: '4 of 4 pods have no readiness gate',
    boundary: { ...ofIngress, terms: googleTerms, pods: gated('cloud.google.com/load-balancer-neg-ready') },
  },
  {
    rule: 'WKL-033',
    severity: 'error',
    what: 'pods that stop before a Network Load Balancer has heard of it',
    found: { group: networkLoadBalancer, pods: sleeping(194) },
    says: 'need 195 s: its load balancer sends to the pod itself for up to 3m 15s more (15s until it is deregistered, 3m of propagation)',
    boundary: { group: networkLoadBalancer, pods: sleeping(195) },
  },
  {
    rule: 'WKL-033',
    severity: 'error',
    what: 'pods behind an Ingress, for the seconds that an Application Load Balancer takes',
    found: { ...ofIngress, pods: sleeping(24) },
    says: 'need 25 s: its load balancer sends to the pod itself for up to 25s more (15s until it is deregistered, 10s of propagation)',
    fix: '"preStop":{"sleep":{"seconds":25}}',
    boundary: { ...ofIngress, pods: sleeping(25) },
  },
  {
    rule: 'WKL-006',
    severity: 'error',
    what: 'pods behind an Ingress that share one node',
    found: { ...ofIngress, pods: webPods().map((pod) => ({ ...pod, node: 'n1' })) },
    says: 'all of them are on n1',
    boundary: { ...ofIngress, pods: webPods().map((pod, at) => ({ ...pod, node: at < 2 ? 'n1' : 'n2' })) },
  },
  {
    rule: 'WKL-013',
    severity: 'error',
    what: 'pods behind an Ingress without a readiness probe',
    found: { ...ofIngress, pods: webPods({ lifecycle: { containers: ['server'] } }) },
    says: 'no container has a readinessProbe',
    boundary: { ...ofIngress, pods: webPods() },
  },
  {
    rule: 'WKL-020',
    severity: 'warning',
    what: 'a workload behind an Ingress that may lack all of its pods',
    found: { ...ofIngress, cluster: { workloads: [aWorkload('web', 4, { mayLack: 4 })] } },
    says: 'a rollout may take 4 of 4 replicas away',
    boundary: { ...ofIngress, cluster: { workloads: [aWorkload('web', 4, { mayLack: 3 })] } },
  },
];

test.each(cases)('$rule ($severity) finds $what', (one) => {
  expectFinding(one);
});

test('pods share nodes without harm where pods are targets, whatever the policy', () => {
  const pods = webPods().map((pod, at) => ({ ...pod, node: at < 2 ? 'n1' : 'n2' }));
  const rulesOf = (group: object) => auditOf({ group, pods }).findings.map(({ rule }) => rule);
  expect(rulesOf({})).toContain('WKL-006');
  expect(rulesOf(networkLoadBalancer)).not.toContain('WKL-006');
});

test('pods behind an Ingress that sends to nodes are asked the same', () => {
  const nodePortBalancers = [{ by: 'Ingress default/shop', groups: [], hint: 'Have pods as targets.' }];
  const found = (changes: object) =>
    auditOf({
      pods: webPods({ lifecycle: { containers: ['server'] } }),
      service: { type: 'NodePort', externalTrafficPolicy: 'Cluster', ...changes },
    }).findings.filter(({ rule }) => rule === 'WKL-013');
  expect(found({ nodePortBalancers })).toHaveLength(1);
  expect(found({})).toEqual([]);
});

test('readiness gates are not missed where nodes are targets, nor where another controller registers pods', () => {
  const others = { unsupported: [anUnsupported('web', { why: 'other-targets' })] } as const;
  const rules = [inNodes, others].flatMap((changes) => auditOf(changes).findings.map(({ rule }) => rule));
  expect(rules).not.toContain('SVC-012');
});

describe('the controller of a cluster that has Ingresses only', () => {
  const controller = aPod('controller-1', 'n1', {
    namespace: 'kube-system',
    labels: { 'app.kubernetes.io/name': 'aws-load-balancer-controller' },
    workload: 'Deployment kube-system/aws-load-balancer-controller',
    ...patient,
  });
  const found = (podGroups?: PodGroupsFacts) =>
    auditOf({
      pods: [...webPods(), controller],
      service: { ...ofIngress.service, ...(podGroups && { podGroups }) },
    }).findings.filter(({ rule }) => rule === 'INF-005');

  test('has to be there twice', () => {
    const bound = { names: ['arn:web'], zones: [], zonesNeedCandidate: false };
    expect(found(bound)).toMatchObject([{ message: expect.stringContaining('its only ready pod is on n1') }]);
  });

  test('matters to nobody where no pods are targets', () => {
    expect(found()).toEqual([]);
  });
});
