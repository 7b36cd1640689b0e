import { servingContainers } from '../containers.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** WKL-013: pods behind a load balancer that are Ready as soon as they run. */
export const wkl013NoReadinessProbe: Rule = {
  id: 'WKL-013',
  severities: ['error'],
  title: 'Pods behind a load balancer without a readiness probe',
  why: 'Without a readiness probe a replacement is Ready as soon as its process runs. Budgets let the next pod leave, and connections are sent to a server that does not listen yet.',
  fix: 'Add a readiness probe that succeeds only when the server answers.',
  source: 'Amazon EKS best practices guide, Load balancing; Kubernetes docs, Liveness, Readiness, and Startup Probes',
  check: (question) =>
    groupPods(
      evictedPods(question).filter(({ isBalanced }) => isBalanced),
      ({ pod, need: { service } }) => {
        const { lifecycle } = pod;
        if (lifecycle === undefined || lifecycle.readiness !== undefined) return undefined;
        const [container = ''] = [...servingContainers(pod, question).own, ...lifecycle.containers];
        return {
          severity: 'error',
          message: `Service ${service.key} sends to them as soon as their process runs: no container has a readinessProbe`,
          fix: {
            text: 'Add a probe of what the server answers when it can serve. It starts a rollout.',
            yaml: [
              'spec:',
              '  template:',
              '    spec:',
              '      containers:',
              `        - name: ${container}`,
              '          readinessProbe:',
              '            httpGet: { path: /ready, port: 8080 } # those of this server',
              '            periodSeconds: 5',
              '            failureThreshold: 3',
            ].join('\n'),
          },
        };
      },
    ),
};
