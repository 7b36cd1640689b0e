/** What the audit says of a Service to which the load balancer of an Ingress sends through a port of each node, as ingress-gce makes it. */
import { expect, test } from 'vitest';
import { googleTerms } from '../../../adapters/gcp/load-balancers/cloud-terms.ts';
import { auditOf, checkedBy, webPods } from '../support/audited-cluster.ts';
import type { ServiceFacts } from '../support/model.ts';

const hint = 'Have its pods as targets instead of nodes.';
const nodePortBalancers = [{ by: 'Ingress default/shop', groups: ['k8s-web'], hint }];
const byDefault = checkedBy({ port: '30080', intervalMs: 60_000, timeoutMs: 60_000, unhealthyThreshold: 10 });

const found = (service: Partial<ServiceFacts>, preStopSeconds = 5) =>
  auditOf({
    terms: googleTerms,
    pods: webPods({ preStopSeconds }),
    service: { type: 'NodePort', healthCheckNodePort: 0, hostnames: [], nodePortBalancers, ...service },
    group: {
      ...byDefault,
      readsLabelWithCordon: true,
      deregistrationDelayMs: 0,
      terminatesConnectionsAfterDelay: true,
    },
  }).findings;
const idsOf = (findings: ReturnType<typeof found>) => findings.map(({ rule }) => rule);

test('policy Local: its check goes on passing while pods terminate, and no port but that of the pods can be had', () => {
  const findings = found({});
  expect(findings.find(({ rule }) => rule === 'SVC-003')).toMatchObject({
    severity: 'error',
    message: 'the health check asks the pods of a node, those that terminate as well (k8s-web: HTTP on 30080)',
    fix: { text: hint },
  });
  expect(idsOf(findings)).not.toContain('SVC-004');
});

test('policy Local: no preStop sleep is asked for that would outlast the check, since none does', () => {
  expect(idsOf(found({}))).not.toContain('WKL-033');
  expect(found({}, 1).find(({ rule }) => rule === 'WKL-033')?.message).toContain('need 3 s: every kube-proxy');
});

test.each(['Local', 'Cluster'] as const)(
  'policy %s: the defaults of its controller are told',
  (externalTrafficPolicy) => {
    const findings = found({ externalTrafficPolicy });
    expect(findings.find(({ rule }) => rule === 'SVC-006')?.message).toContain('may send to a failed target for 11m');
    expect(idsOf(findings)).toContain('SVC-030');
    expect(idsOf(findings)).not.toContain('SVC-027');
  },
);

test('policy Cluster: its check asks pods anywhere', () => {
  expect(idsOf(found({ externalTrafficPolicy: 'Cluster' }))).not.toContain('SVC-003');
});

test('a load balancer of its own beside that of an Ingress is told of by itself', () => {
  const own = { type: 'LoadBalancer', healthCheckNodePort: 30_900 } as const;
  const messages = found({ ...own, nodePortBalancers: [] }).filter(({ rule }) => rule === 'SVC-003');
  expect(messages.map(({ message }) => message)).toEqual([
    'the health check does not ask kube-proxy on healthCheckNodePort 30900 (k8s-web: HTTP on 30080)',
  ]);
});
