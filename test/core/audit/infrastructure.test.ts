import { test } from 'vitest';
import { expectFinding, type RuleCase, webPods } from '../support/audited-cluster.ts';
import { aPod } from '../support/facts.ts';
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

const cases: readonly RuleCase[] = [
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
