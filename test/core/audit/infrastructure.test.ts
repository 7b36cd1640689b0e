import { test } from 'vitest';
import { expectFinding, type RuleCase, webPods } from '../support/audited-cluster.ts';
import { aNode, aPod, aService } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';

/** Pods of a Deployment in kube-system, one on each of these nodes. */
function system(name: string, label: string, nodes: readonly string[]): readonly PodFacts[] {
  const [key = '', value = ''] = label.split('=');
  return nodes.map((node, index) =>
    aPod(`${name}-${index}`, node, {
      namespace: 'kube-system',
      labels: { [key]: value },
      workload: `Deployment kube-system/${name}`,
      ownerName: `${name}-5d`,
    }),
  );
}

const controller = 'app.kubernetes.io/name=aws-load-balancer-controller';
const withPods = (...more: readonly (readonly PodFacts[])[]) => ({ pods: [...webPods(), ...more.flat()] });

/** Four nodes of one pool, of which these are held. */
function pinned(...names: readonly string[]) {
  const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) =>
    aNode(name, names.includes(name) ? { scaleDownDisabled: true } : {}),
  );
  return { nodes };
}

/** Two of three nodes are of a NodePool that is frozen or not. */
function managed(frozen: boolean) {
  const labels = { 'karpenter.sh/nodepool': 'spot' };
  const managedNodes = [{ name: 'spot', label: 'karpenter.sh/nodepool', frozen }];
  return { nodes: [aNode('n1', { labels }), aNode('n2', { labels }), aNode('n3')], cluster: { managedNodes } };
}

/** A part of the API that pods on these nodes serve. */
function served(nodes: readonly string[]) {
  const pods = system('metrics', 'k8s-app=metrics', nodes);
  const selector = { 'k8s-app': 'metrics' };
  const metrics = aService('metrics', pods, { key: 'kube-system/metrics', type: 'ClusterIP', selector });
  const apiServices = [{ key: 'APIService v1beta1.metrics.k8s.io', service: 'kube-system/metrics' }];
  return { ...withPods(pods), cluster: { services: [aService('web', webPods()), metrics], apiServices } };
}

const asPart = (component: string) => (pod: PodFacts) => ({
  ...pod,
  labels: { ...pod.labels, 'app.kubernetes.io/component': component },
});

const cases: readonly RuleCase[] = [
  {
    rule: 'INF-001',
    severity: 'warning',
    what: 'nodes that the cluster autoscaler may remove',
    found: {
      ...withPods(system('ca', 'app.kubernetes.io/name=aws-cluster-autoscaler', ['n1'])),
      ...pinned('n2', 'n3'),
    },
    says: 'it may remove 2 of 4 audited nodes at any time',
    object: 'Deployment kube-system/ca',
    fix: 'kubectl annotate nodes -l eks.amazonaws.com/nodegroup=web cluster-autoscaler.kubernetes.io/scale-down-disabled=true',
    boundary: {
      ...withPods(system('ca', 'app.kubernetes.io/name=aws-cluster-autoscaler', ['n1'])),
      ...pinned('n1', 'n2', 'n3', 'n4'),
    },
  },
  {
    rule: 'INF-001',
    severity: 'warning',
    what: 'nodes that Karpenter may remove',
    found: managed(false),
    says: 'Karpenter may remove 2 of its 2 audited nodes',
    object: 'NodePool spot',
    fix: 'kubectl patch nodepool spot --type=merge -p \'{"spec":{"disruption":{"budgets":[{"nodes":"0"}]}}}\'',
    boundary: managed(true),
  },
  {
    rule: 'INF-009',
    severity: 'warning',
    what: 'the only pod that serves a part of the API',
    found: served(['n1']),
    says: 'pod kube-system/metrics-0 alone serves APIService v1beta1.metrics.k8s.io',
    object: 'Service kube-system/metrics',
    fix: 'second replica',
    boundary: served(['n1', 'n2']),
  },
  {
    rule: 'INF-009',
    severity: 'warning',
    what: 'that pod on an audited node only',
    found: served(['n1']),
    says: 'alone serves',
    boundary: { ...served(['n1']), audited: ['n2'] },
  },
  {
    rule: 'INF-005',
    severity: 'error',
    what: 'one replica of the load balancer controller',
    found: withPods(system('lbc', controller, ['n1'])),
    says: 'its only ready pod is on n1',
    object: 'Deployment kube-system/lbc',
    fix: 'kubectl -n kube-system scale deployment lbc --replicas=2',
    boundary: withPods(system('lbc', controller, ['n1', 'n2'])),
  },
  {
    rule: 'INF-005',
    severity: 'error',
    what: 'two replicas on one node',
    found: withPods(system('lbc', controller, ['n1', 'n1'])),
    says: 'all 2 ready pods are on n1',
    fix: 'anti-affinity',
    boundary: { ...withPods(system('lbc', controller, ['n1', 'n1'])), audited: ['n2'] },
  },
  {
    rule: 'INF-005',
    severity: 'error',
    what: 'a controller that is not ready, where anything depends on it',
    found: withPods(system('lbc', controller, ['n1']).map((pod) => ({ ...pod, ready: false }))),
    says: 'no pod of it is ready',
    boundary: { ...withPods(system('lbc', controller, ['n1'])), service: { type: 'ClusterIP' } },
  },
  {
    rule: 'INF-010',
    severity: 'error',
    what: 'the only Temporal server',
    found: withPods(system('temporal', 'app.kubernetes.io/name=temporal', ['n1'])),
    says: 'stands still while it moves',
    boundary: withPods(system('temporal', 'app.kubernetes.io/name=temporal', ['n1', 'n3'])),
  },
  {
    rule: 'INF-010',
    severity: 'error',
    what: 'the only history service of Temporal, but not its tools',
    found: withPods(system('temporal', 'app.kubernetes.io/name=temporal', ['n1']).map(asPart('history'))),
    says: 'its only ready pod is on n1',
    boundary: withPods(
      system('tools', 'app.kubernetes.io/name=temporal', ['n1']).map(asPart('admintools')),
      system('ui', 'app.kubernetes.io/name=temporal', ['n2']).map(asPart('web')),
    ),
  },
  {
    rule: 'INF-011',
    severity: 'warning',
    what: 'all DNS pods on one node',
    found: withPods(system('coredns', 'k8s-app=kube-dns', ['n2', 'n2'])),
    says: 'all 2 ready pods are on n2: no name of the cluster resolves',
    object: 'Deployment kube-system/coredns',
    boundary: withPods(system('coredns', 'k8s-app=kube-dns', ['n2', 'n3'])),
  },
];

test.each(cases)('$rule ($severity) finds $what', (one) => {
  expectFinding(one);
});
