import { test } from 'vitest';
import { expectFinding, patient, probed, type RuleCase, webPods } from '../support/audited-cluster.ts';
import { aBudget, anUnsupported, aPod, aService, aWorkload } from '../support/facts.ts';

const podTargets = [anUnsupported('web', { why: 'other-targets' })];
const loadBalancersUnread = { code: 'Forbidden', message: 'denied' } as const;
const cluster = { externalTrafficPolicy: 'Cluster' } as const;
const unready = (...numbers: readonly number[]) =>
  webPods().map((pod, index) => (numbers.includes(index) ? { ...pod, ready: false } : pod));
const command = (told: string) =>
  webPods({ preStopSeconds: 0, lifecycle: { ...probed, preStops: { server: { handler: 'exec', command: told } } } });
const together = webPods().map((pod) => ({ ...pod, node: 'n1' }));
const preferring = { prefersApartBy: ['kubernetes.io/hostname'] };
const ofSet = { ownerKind: 'StatefulSet', ownerName: 'web', workload: 'StatefulSet default/web' } as const;
const forWeb = { matchLabels: { app: 'web' } };
const hostSpread = {
  topologyKey: 'kubernetes.io/hostname',
  maxSkew: 1,
  isRequired: false,
  countsReleased: false,
  countsCordoned: false,
};
/** Ready until 75 s + 10 s x (failures - 1) after an eviction. */
const failing = (failureThreshold: number) =>
  webPods({
    terminationGracePeriodSeconds: 400,
    lifecycle: { ...probed, readiness: { container: 'server', periodSeconds: 10, failureThreshold } },
  });

const cases: readonly RuleCase[] = [
  {
    rule: 'WKL-033',
    severity: 'error',
    what: 'no preStop hook behind policy Local, with the window of the health check',
    found: { pods: webPods({ preStopSeconds: 0, terminationGracePeriodSeconds: 30 }) },
    says: '4 pods: they serve 0 s after an eviction (preStop) and need 75 s: k8s-web sends to its node for up to 1m 13s more (health check every 10s, 2 failures) (Service default/web)',
    object: 'Deployment default/web',
    fix: '{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":105,"containers":[{"name":"server","lifecycle":{"preStop":{"sleep":{"seconds":75}}}}]}}}}',
    boundary: { pods: webPods({ preStopSeconds: 75 }) },
  },
  {
    rule: 'WKL-033',
    severity: 'error',
    what: 'a preStop sleep that is one second too short',
    found: { pods: webPods({ preStopSeconds: 74 }) },
    says: 'serve 74 s after an eviction (preStop) and need 75 s',
    boundary: { pods: webPods({ preStopSeconds: 74 }), group: { unhealthyLagMs: 39_000 } },
  },
  {
    rule: 'WKL-033',
    severity: 'error',
    what: 'no preStop hook behind policy Cluster, with the propagation of endpoints',
    found: { pods: webPods({ preStopSeconds: 2 }), service: cluster },
    says: 'every kube-proxy sends to it for up to 3s more',
    boundary: { pods: webPods({ preStopSeconds: 3 }), service: cluster },
  },
  {
    rule: 'WKL-033',
    severity: 'warning',
    what: 'no preStop hook behind a Service that no load balancer carries',
    found: { pods: webPods({ preStopSeconds: 0 }), service: { ...cluster, type: 'ClusterIP' } },
    says: 'every kube-proxy sends to it',
    boundary: { pods: webPods({ preStopSeconds: 3 }), service: { ...cluster, type: 'ClusterIP' } },
  },
  {
    rule: 'WKL-033',
    severity: 'error',
    what: 'pods as targets that stop before they are deregistered',
    found: { unsupported: podTargets, pods: webPods({ preStopSeconds: 194, terminationGracePeriodSeconds: 300 }) },
    says: 'up to 3m 15s more (15s until it is deregistered, 3m of propagation)',
    boundary: { unsupported: podTargets, pods: webPods({ preStopSeconds: 195, terminationGracePeriodSeconds: 300 }) },
  },
  {
    rule: 'WKL-033',
    severity: 'error',
    what: 'no preStop hook where the load balancer was not read, and says that more is needed',
    found: { pods: webPods({ preStopSeconds: 2 }), loadBalancersUnread, group: { service: 'default/other' } },
    says: 'need more than 3 s',
    boundary: {
      pods: webPods({ preStopSeconds: 3 }),
      loadBalancersUnread,
      group: { service: 'default/other' },
    },
  },
  {
    rule: 'WKL-033',
    severity: 'error',
    what: 'a command that does not sleep long enough',
    found: { pods: command('sh -c sleep 60') },
    says: 'serve 60 s after',
    fix: '"exec":null,"sleep":{"seconds":75}',
    boundary: { pods: command('sh -c sleep 75 && nginx -s quit') },
  },
  {
    rule: 'WKL-009',
    severity: 'warning',
    what: 'readiness that may fail before connections have ended',
    found: { pods: failing(32) },
    says: 'connections may last 390 s after an eviction; if the application fails its readiness probe on SIGTERM, the pod is no endpoint after 385 s',
    fix: '"readinessProbe":{"failureThreshold":33}',
    boundary: { pods: failing(33) },
  },
  {
    rule: 'WKL-010',
    severity: 'error',
    what: 'a preStop hook as long as the grace period',
    found: { pods: webPods({ preStopSeconds: 90, terminationGracePeriodSeconds: 90 }) },
    says: 'at least 90 s of a grace period of 90 s',
    fix: '"terminationGracePeriodSeconds":120',
    boundary: { pods: webPods({ preStopSeconds: 90, terminationGracePeriodSeconds: 91 }) },
  },
  {
    rule: 'WKL-011',
    severity: 'warning',
    what: 'a grace period that leaves little after the preStop hook',
    found: { pods: webPods({ preStopSeconds: 90, terminationGracePeriodSeconds: 99 }) },
    says: '9 s of the grace period of 99 s are left',
    fix: '"terminationGracePeriodSeconds":100',
    boundary: { pods: webPods({ preStopSeconds: 90, terminationGracePeriodSeconds: 100 }) },
  },
  {
    rule: 'WKL-012',
    severity: 'error',
    what: 'a preStop hook that stops the server',
    found: { pods: command('/usr/sbin/nginx -s quit') },
    says: 'the preStop hook (/usr/sbin/nginx -s quit) stops the server',
    fix: '"preStop":{"exec":null,"sleep":{"seconds":75}}',
    boundary: { pods: command('sh -c sleep 5; nginx -s quit') },
  },
  {
    rule: 'WKL-012',
    severity: 'error',
    what: 'the hook of ingress-nginx, which stops it and waits',
    found: { pods: command('/wait-shutdown') },
    says: 'the preStop hook (/wait-shutdown) stops the server',
    fix: '"preStop":{"exec":null,"sleep":{"seconds":75}}',
    boundary: { pods: webPods({ preStopSeconds: 10 }) },
  },
  {
    rule: 'WKL-012',
    severity: 'error',
    what: 'a preStop hook that sleeps only once it has stopped the server',
    found: { pods: command('sh -c nginx -c /etc/nginx/nginx.conf -s quit; while pgrep -x nginx; do sleep 1; done') },
    says: 'stops the server',
    boundary: {
      pods: command('sh -c sleep 5; nginx -c /etc/nginx/nginx.conf -s quit; while pgrep -x nginx; do sleep 1; done'),
    },
  },
  {
    rule: 'WKL-033',
    severity: 'error',
    what: 'a sleep that begins after the server was stopped',
    found: { pods: command('sh -c nginx -s quit; sleep 75') },
    says: 'serve 0 s after an eviction',
    boundary: { pods: command('sh -c sleep 75; nginx -s quit') },
  },
  {
    rule: 'WKL-013',
    severity: 'error',
    what: 'no readiness probe',
    found: { pods: webPods({ lifecycle: { containers: ['server'] } }) },
    says: 'Service default/web sends to them as soon as their process runs',
    fix: '- name: server',
    boundary: { pods: webPods({ lifecycle: { containers: ['server'] } }), service: { type: 'ClusterIP' } },
  },
  {
    rule: 'WKL-005',
    severity: 'warning',
    what: 'a pod that is not ready, and that its budget does not let leave',
    found: { pods: unready(0, 1), cluster: { budgets: [aBudget('web', unready(0, 1), 3)] } },
    says: '2 pods not ready, and 2 of 3 healthy',
    object: 'PodDisruptionBudget default/web',
    fix: 'kubectl -n default patch pdb web --type=merge -p \'{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}\'',
    boundary: {
      pods: unready(0, 1),
      cluster: { budgets: [{ ...aBudget('web', unready(0, 1), 3), evictsUnready: true }] },
    },
  },
  {
    rule: 'WKL-005',
    severity: 'warning',
    what: 'a pod that is not ready under a budget that is not healthy',
    found: { pods: unready(0), cluster: { budgets: [aBudget('web', unready(0), 4)] } },
    says: '3 of 4 healthy',
    boundary: { pods: unready(0), cluster: { budgets: [aBudget('web', unready(0), 3)] } },
  },
  {
    rule: 'WKL-006',
    severity: 'error',
    what: 'all pods on one node',
    found: { pods: together, service: cluster },
    says: '4 pods: all of them are on n1',
    fix: '"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname"',
    boundary: { pods: together.map((pod) => ({ ...pod, spreads: [hostSpread] })), service: cluster },
  },
  {
    rule: 'WKL-006',
    severity: 'error',
    what: 'pods that share nodes behind policy Local, not behind policy Cluster',
    found: { pods: [...webPods(), aPod('web-5', 'n1', patient)] },
    says: '2 pods: they share nodes behind policy Local (5 pods on 4 nodes)',
    boundary: { pods: [...webPods(), aPod('web-5', 'n1', patient)], service: cluster },
  },
  {
    rule: 'WKL-006',
    severity: 'error',
    what: 'pods that share nodes, unless they would rather not',
    found: { pods: [...webPods(), aPod('web-5', 'n1', patient)] },
    says: '2 pods: they share nodes',
    boundary: { pods: [...webPods(preferring), aPod('web-5', 'n1', { ...patient, ...preferring })] },
  },
  {
    rule: 'WKL-006',
    severity: 'error',
    what: 'all pods on one node, not those of which others are on nodes that are not audited',
    found: { pods: together, audited: ['n1'], service: cluster },
    says: 'they leave together',
    boundary: { pods: [...together, aPod('web-5', 'n4', patient)], audited: ['n1'], service: cluster },
  },
  {
    rule: 'WKL-006',
    severity: 'error',
    what: 'pods of a StatefulSet, whose own labels are not those of all of them',
    found: {
      pods: together.map((pod) => ({ ...pod, ...ofSet, labels: { ...pod.labels, 'controller-revision-hash': 'x' } })),
      cluster: { workloads: [aWorkload('web', 4, { key: ofSet.workload, kind: 'StatefulSet', selector: forWeb })] },
    },
    says: 'they leave together',
    fix: '"labelSelector":{"matchLabels":{"app":"web"}}}]',
    boundary: {},
  },
  {
    rule: 'WKL-007',
    severity: 'warning',
    what: 'pods in one zone behind a load balancer in two',
    found: { pods: webPods().slice(0, 2) },
    says: 'all 2 ready endpoints are in a, and its load balancer is in a, b',
    fix: 'topologyKey: topology.kubernetes.io/zone',
    boundary: { pods: webPods().slice(1, 3) },
  },
  {
    rule: 'WKL-003',
    severity: 'blocker',
    what: 'a rule of the plan about budgets, with a command',
    found: { cluster: { budgets: [aBudget('web', webPods(), 4)] } },
    says: 'it demands 4 of 4 pods',
    object: 'PodDisruptionBudget default/web',
    fix: 'patch pdb web --type=merge -p \'{"spec":{"minAvailable":null,"maxUnavailable":1}}\'',
    boundary: { cluster: { budgets: [aBudget('web', webPods(), 3)] } },
  },
  {
    rule: 'WKL-017',
    severity: 'blocker',
    what: 'a bare pod, as a rule of the plan does',
    found: { pods: [...webPods(), aPod('lone-1', 'n1', { ownerKind: 'none', ownerName: '' })] },
    says: 'no controller would start it again',
    object: 'Pod default/lone-1',
    boundary: {
      pods: [...webPods(), aPod('lone-1', 'n1', { ownerKind: 'none', ownerName: '' })],
      audited: ['n2', 'n3', 'n4'],
    },
  },
  {
    rule: 'WKL-002',
    severity: 'warning',
    what: 'no budget, with the command that creates one',
    found: { cluster: { budgets: [], services: [aService('web', webPods(), { selector: { app: 'web' } })] } },
    says: 'no PodDisruptionBudget covers its pods',
    fix: 'kubectl -n default create poddisruptionbudget web --selector=app=web --max-unavailable=1',
    boundary: {},
  },
];

test.each(cases)('$rule ($severity) finds $what', (one) => {
  expectFinding(one);
});
