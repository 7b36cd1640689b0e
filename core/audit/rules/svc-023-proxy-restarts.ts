import { indexOf } from '../../model/cluster-index.ts';
import { podsToMove } from '../../plan/audit/rule.ts';
import { patchPods, withCommands } from '../commands.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** Minor version of Kubernetes since which /healthz of kube-proxy fails on a node that is about to be deleted (KEP-3836, on by default). */
const tellsNodeSince = 30;

/** SVC-023: a kube-proxy that the kubelet restarts while the autoscaler empties its node. */
export const svc023ProxyRestarts: Rule = {
  id: 'SVC-023',
  severities: ['warning'],
  title: 'A liveness probe that restarts kube-proxy on a node that leaves',
  why: 'Since Kubernetes 1.30 /healthz of kube-proxy fails while its node is about to be deleted, so that load balancers stop sending to it. A liveness probe on /healthz then restarts kube-proxy again and again, just while the node must still forward connections.',
  fix: 'Let the liveness probe ask for /livez.',
  source: 'KEP-3836',
  check: (question) => {
    const { nodes } = indexOf(question.facts.cluster);
    const proxies = podsToMove(question).filter(
      ({ namespace, labels }) =>
        namespace === 'kube-system' && (labels['k8s-app'] === 'kube-proxy' || labels['component'] === 'kube-proxy'),
    );
    return groupPods(
      proxies.map((pod) => ({ pod })),
      ({ pod: { node, lifecycle } }, object) => {
        const { liveness } = lifecycle ?? {};
        const minor = Number(/^v1\.(\d+)/.exec(nodes.get(node ?? '')?.kubeletVersion ?? '')?.[1] ?? 0);
        if (liveness?.path !== '/healthz' || minor < tellsNodeSince) return undefined;
        const livenessProbe = { httpGet: { path: '/livez' } };
        return {
          severity: 'warning',
          message:
            'the kubelet restarts it while the cluster autoscaler removes its node: its liveness probe asks for /healthz',
          fix: {
            text: 'Ask for /livez instead. The patch restarts kube-proxy on each node once.',
            ...withCommands(patchPods(object, { containers: [{ name: liveness.container, livenessProbe }] })),
          },
        };
      },
    );
  },
};
