import { expect, test } from 'vitest';
import { auditOf, checkedBy, expectFinding, patient, type RuleCase, webPods } from '../support/audited-cluster.ts';
import { aNode, aPod } from '../support/facts.ts';

const cases: readonly RuleCase[] = [
  {
    rule: 'SVC-003',
    severity: 'error',
    what: 'a health check through the traffic port',
    found: { group: checkedBy({ port: 'traffic-port' }) },
    says: 'healthCheckNodePort 30900 (k8s-web: HTTP on traffic-port)',
    object: 'Service default/web',
    fix: 'kubectl -n default patch service web --type=merge',
    boundary: {},
  },
  {
    rule: 'SVC-003',
    severity: 'error',
    what: 'a TCP check, which policy Cluster may have',
    found: { group: checkedBy({ protocol: 'TCP' }) },
    says: 'TCP on 30900',
    boundary: { group: checkedBy({ protocol: 'TCP' }), service: { externalTrafficPolicy: 'Cluster' } },
  },
  {
    rule: 'SVC-004',
    severity: 'error',
    what: 'a health check on a fixed port',
    found: { group: checkedBy({ port: '8080' }) },
    says: 'another port (k8s-web: 8080) than healthCheckNodePort 30900',
    fix: '"service.beta.kubernetes.io/aws-load-balancer-healthcheck-port":null',
    boundary: { group: checkedBy({ port: '30900' }) },
  },
  {
    rule: 'SVC-004',
    severity: 'error',
    what: 'no healthCheckNodePort',
    found: { service: { healthCheckNodePort: 0 } },
    says: 'without a healthCheckNodePort',
    fix: '{"spec":{"externalTrafficPolicy":"Local"}}',
    boundary: { service: { healthCheckNodePort: 0, externalTrafficPolicy: 'Cluster' } },
  },
  {
    rule: 'SVC-009',
    severity: 'warning',
    what: 'connections that are reset when a target is unhealthy',
    found: { group: { terminatesUnhealthyConnections: true } },
    says: 'k8s-web resets the connections',
    fix: 'connection_termination.enabled=false,target_health_state.unhealthy.draining_interval_seconds=300',
    boundary: { group: { terminatesUnhealthyConnections: true }, service: { externalTrafficPolicy: 'Cluster' } },
  },
  {
    rule: 'SVC-011',
    severity: 'error',
    what: 'the PROXY protocol',
    found: { group: { sendsProxyHeader: true } },
    says: 'does not understand on healthCheckNodePort 30900',
    fix: 'Move the clients to a second Service',
    boundary: { group: { sendsProxyHeader: true }, service: { externalTrafficPolicy: 'Cluster' } },
  },
  {
    rule: 'SVC-016',
    severity: 'warning',
    what: 'a drain time shorter than the rest of the grace period',
    found: { group: { terminatesConnectionsAfterDelay: true, deregistrationDelayMs: 29_000 } },
    says: 'leaves 30s to finish requests, and the load balancer of default/web ends them earlier (k8s-web after 29s)',
    fix: 'to 30 s',
    boundary: { group: { terminatesConnectionsAfterDelay: true, deregistrationDelayMs: 30_000 } },
  },
  {
    rule: 'SVC-021',
    severity: 'error',
    what: 'a kube-proxy that drops connections to terminating pods',
    found: { nodes: [aNode('n1', { kubeletVersion: 'v1.25.16' })], pods: [aPod('web-1', 'n1', patient)] },
    says: 'v1.25.16',
    object: 'Node n1',
    boundary: { nodes: [aNode('n1', { kubeletVersion: 'v1.26.0' })], pods: [aPod('web-1', 'n1', patient)] },
  },
  {
    rule: 'SVC-021',
    severity: 'warning',
    what: 'a kube-proxy whose health check passes while it is behind',
    found: { nodes: [aNode('n1', { kubeletVersion: 'v1.27.3-eks-1' })], pods: [aPod('web-1', 'n1', patient)] },
    says: 'passes the health check while it is behind',
    boundary: { nodes: [aNode('n1', { kubeletVersion: 'v1.28.0' })], pods: [aPod('web-1', 'n1', patient)] },
  },
  {
    rule: 'SVC-001',
    severity: 'blocker',
    what: 'a rule of the plan, with a command',
    found: { pods: [aPod('web-1', 'n1', patient)] },
    says: 'ready endpoints on 1 node',
    object: 'Service default/web',
    fix: 'kubectl -n default scale deployment web --replicas=2',
    boundary: { pods: webPods().slice(0, 2) },
  },
  {
    rule: 'SVC-008',
    severity: 'warning',
    what: 'a short deregistration delay, with the annotation',
    found: { group: { deregistrationDelayMs: 119_000 } },
    says: 'a deregistration delay of 1m 59s',
    fix: 'aws-load-balancer-target-group-attributes: deregistration_delay.timeout_seconds=120',
    boundary: { group: { deregistrationDelayMs: 120_000 } },
  },
];

test.each(cases)('$rule ($severity) finds $what', (one) => {
  expectFinding(one);
});

test('no fix names an annotation where the controller of the cloud reads none', () => {
  const group = { deregistrationDelayMs: 1_000, healthCheck: checkedBy({ port: 'traffic-port' }).healthCheck };
  const { findings } = auditOf({
    group,
    terms: { setAttributes: () => undefined, controllers: [], drainTime: 'its own setting' },
  });

  expect(findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['SVC-003', 'SVC-008']));
  expect(JSON.stringify(findings)).not.toMatch(/annotation|undefined/);
});

test('a sound cluster has nothing that must be fixed', () => {
  const { findings, nodes, services, unread } = auditOf();

  expect(findings).toEqual([]);
  expect({ nodes, services, unread }).toEqual({ nodes: 4, services: 1, unread: [] });
});
