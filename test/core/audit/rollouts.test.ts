import { test } from 'vitest';
import { checkedBy, expectFinding, probed, type RuleCase, webPods } from '../support/audited-cluster.ts';
import { aWorkload } from '../support/facts.ts';

const readiness = { container: 'server', periodSeconds: 10, failureThreshold: 4 };
const probedBy = (changes: Partial<typeof readiness> & { readonly initialDelaySeconds?: number }) =>
  webPods({ lifecycle: { ...probed, readiness: { ...readiness, ...changes } } });
const rolledOutBy = (changes: { readonly minReadySeconds?: number; readonly mayLack?: number }) => ({
  workloads: [aWorkload('web', 4, { minReadySeconds: 33, mayLack: 1, ...changes })],
});
const behindHosts = { membership: 'hosts-only' } as const;

const cases: readonly RuleCase[] = [
  {
    rule: 'WKL-014',
    severity: 'warning',
    what: 'pods that are ready before their node is attached',
    found: { pods: probedBy({ initialDelaySeconds: 19 }), group: behindHosts },
    says: 'a new one may be ready after 19 s, and the load balancer may take 20 s to attach its node',
    fix: '"readinessProbe":{"initialDelaySeconds":20}',
    boundary: { pods: probedBy({ initialDelaySeconds: 20 }), group: behindHosts },
  },
  {
    rule: 'WKL-014',
    severity: 'warning',
    what: 'nothing where every node is a target already',
    found: { pods: probedBy({}), group: behindHosts },
    says: 'after 0 s',
    boundary: { pods: probedBy({}) },
  },
  {
    rule: 'WKL-015',
    severity: 'warning',
    what: 'a rollout that is faster than the health check',
    found: { cluster: rolledOutBy({ minReadySeconds: 32 }) },
    says: 'a rollout goes on 32 s after a pod is ready, and its node is healthy after 33 s (Service default/web)',
    object: 'Deployment default/web',
    fix: '{"spec":{"minReadySeconds":33}}',
    boundary: { cluster: rolledOutBy({ minReadySeconds: 33 }) },
  },
  {
    rule: 'WKL-015',
    severity: 'warning',
    what: 'a slow health check, but not behind policy Cluster',
    found: { group: checkedBy({ healthyThreshold: 5 }) },
    says: 'its node is healthy after 63 s',
    boundary: { group: checkedBy({ healthyThreshold: 5 }), service: { externalTrafficPolicy: 'Cluster' } },
  },
  {
    rule: 'WKL-020',
    severity: 'warning',
    what: 'a rollout that may take all pods away',
    found: { cluster: rolledOutBy({ mayLack: 4 }) },
    says: 'a rollout may take 4 of 4 replicas away before any new one serves',
    fix: '"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0,"maxSurge":1}}',
    boundary: { cluster: rolledOutBy({ mayLack: 3 }) },
  },
  {
    rule: 'WKL-022',
    severity: 'info',
    what: 'a probe that notices late, beyond what WKL-009 asks for',
    found: { pods: probedBy({ failureThreshold: 5 }) },
    says: 'a pod that stops serving stays an endpoint for 50 s (5 failures every 10 s)',
    fix: '"readinessProbe":{"failureThreshold":4}',
    boundary: { pods: probedBy({ failureThreshold: 4 }) },
  },
  {
    rule: 'WKL-022',
    severity: 'info',
    what: 'a probe that notices after more than 30 s behind policy Cluster, where nothing else asks for it',
    found: { pods: probedBy({ failureThreshold: 4 }), service: { externalTrafficPolicy: 'Cluster' } },
    says: 'for 40 s',
    fix: 'Lower failureThreshold to 3',
    boundary: { pods: probedBy({ failureThreshold: 3 }), service: { externalTrafficPolicy: 'Cluster' } },
  },
  {
    rule: 'WKL-023',
    severity: 'info',
    what: 'a protocol whose connections stay open',
    found: { service: { longLived: 'ws' } },
    says: '4 pods: Service default/web speaks ws: connections stay open, and have 5m to end when a node leaves',
    fix: "spec.waits.maxConnectionAge['default/web']",
    boundary: {},
  },
];

test.each(cases)('$rule ($severity) finds $what', (one) => {
  expectFinding(one);
});
