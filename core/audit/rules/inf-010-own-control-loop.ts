import type { PodFacts } from '../../model/pod.ts';
import type { Rule } from '../rule.ts';
import { findSinglePoints } from '../single-point.ts';

/** Value of the label `app.kubernetes.io/name` of what a run needs itself, where it runs in the same cluster. */
const own = ['nodeferry', 'temporal'];

/** Parts of the Temporal chart that no run needs. They have one replica (temporalio/helm-charts, charts/temporal/templates/admintools-deployment.yaml). */
const dispensable = ['admintools', 'web'];

/** INF-010: the worker of nodeferry, or its Temporal server, on nodes that it would replace. */
export const inf010OwnControlLoop: Rule = {
  id: 'INF-010',
  severities: ['error'],
  title: 'nodeferry or Temporal on one node that is replaced',
  why: 'A run continues after its worker or its Temporal server was away, but nothing is watched and nothing reacts meanwhile. With one replica that takes as long as the pod needs to start elsewhere.',
  fix: 'Run two replicas on different nodes, or on a pool that the run does not replace.',
  source: 'docs/worker.md',
  check: (question) =>
    findSinglePoints(question, isNeeded).map(({ object, placed, fix }) => ({
      severity: 'error',
      object,
      message: `${placed}: a run that replaces that node stands still while it moves`,
      fix,
    })),
};

function isNeeded({ labels }: PodFacts): boolean {
  const component = labels['app.kubernetes.io/component'] ?? '';
  return own.includes(labels['app.kubernetes.io/name'] ?? '') && !dispensable.includes(component);
}
