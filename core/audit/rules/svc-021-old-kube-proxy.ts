import { indexOf } from '../../model/cluster-index.ts';
import { listNames } from '../../text/format.ts';
import type { Rule } from '../rule.ts';

/** Minor version of Kubernetes since which kube-proxy sends to terminating pods when there are no others (KEP-1669, on by default). */
const sendsToTerminating = 26;

/** Minor version since which its health check fails when kube-proxy itself is behind (kubernetes/kubernetes#115825). */
const checksItself = 28;

/** SVC-021: nodes whose kube-proxy is older than graceful termination. */
export const svc021OldKubeProxy: Rule = {
  id: 'SVC-021',
  severities: ['error', 'warning'],
  title: 'A kube-proxy that drops connections to terminating pods',
  why: 'Before 1.26 kube-proxy drops the connections of a Service with policy Local as soon as the last pod of a node begins to terminate, while the load balancer still sends them. Before 1.28 its health check passes although it is behind with its updates.',
  fix: 'Upgrade these nodes first, while little traffic comes in.',
  source: 'KEP-1669; kubernetes/kubernetes#115825',
  check: ({ facts, nodes }) => {
    const index = indexOf(facts.cluster);
    const olderThan = (minor: number) =>
      nodes.flatMap(({ name }) => {
        const version = index.nodes.get(name)?.kubeletVersion ?? '';
        const own = Number(/^v1\.(\d+)/.exec(version)?.[1] ?? checksItself);
        return own < minor ? [{ name, version, minor: own }] : [];
      });
    const dropping = olderThan(sendsToTerminating);
    const stale = olderThan(checksItself).filter(({ minor }) => minor >= sendsToTerminating);
    return [
      { found: dropping, severity: 'error' as const, what: 'drops connections to terminating pods under policy Local' },
      { found: stale, severity: 'warning' as const, what: 'passes the health check while it is behind' },
    ]
      .filter(({ found }) => found.length > 0)
      .map(({ found, severity, what }) => ({
        severity,
        object: { kind: 'Node', name: listNames(found.map(({ name }) => name)) },
        message: `${[...new Set(found.map(({ version }) => version))].toSorted().join(', ')}: a kube-proxy of this version ${what}`,
        fix: { text: 'Upgrade these nodes before those that serve more traffic, at a quiet time.' },
      }));
  },
};
