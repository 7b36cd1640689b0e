import type { Rule } from '../rule.ts';
import { findSinglePoints } from '../single-point.ts';

/** INF-005: the controller of the load balancers leaves with a node. */
export const inf005SingleController: Rule = {
  id: 'INF-005',
  severities: ['error'],
  title: 'A load balancer controller on one node',
  why: 'It registers new nodes and pods with the load balancers and deregisters those that leave. While its own pod moves, nobody does: nodes leave that the load balancer still sends to.',
  fix: 'Run two replicas on different nodes.',
  source:
    'kubernetes-sigs/aws-load-balancer-controller, leader election and helm/aws-load-balancer-controller/values.yaml',
  check: (question) => {
    const { services } = question.facts.cluster;
    // Those of Ingresses and Gateways bind pods to Services of any type.
    if (!services.some(({ type, podGroups }) => type === 'LoadBalancer' || podGroups !== undefined)) return [];
    return findSinglePoints(question, ({ labels }) =>
      question.terms.controllers.some(({ label, value }) => labels[label] === value),
    ).map(({ object, placed, fix }) => ({
      severity: 'error',
      object,
      message: `${placed}: while it moves nothing is registered with load balancers, or deregistered`,
      fix,
    }));
  },
};
