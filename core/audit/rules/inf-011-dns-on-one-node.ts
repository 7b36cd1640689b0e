import type { Rule } from '../rule.ts';
import { findSinglePoints } from '../single-point.ts';

/** INF-011: the DNS of the cluster leaves with one node. */
export const inf011DnsOnOneNode: Rule = {
  id: 'INF-011',
  severities: ['warning'],
  title: 'The DNS of the cluster on one node',
  why: 'While its pods move no name resolves, so every new connection inside the cluster fails that needs one.',
  fix: 'Run at least two replicas on different nodes.',
  source: 'Kubernetes docs, Customizing DNS Service (label k8s-app=kube-dns)',
  check: (question) =>
    findSinglePoints(
      question,
      ({ namespace, labels }) => namespace === 'kube-system' && labels['k8s-app'] === 'kube-dns',
    ).map(({ object, placed, fix }) => ({
      severity: 'warning',
      object,
      message: `${placed}: no name of the cluster resolves while it moves`,
      fix,
    })),
};
