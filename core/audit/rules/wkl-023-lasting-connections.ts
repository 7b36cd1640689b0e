import { balancedServices } from '../../guard/serving.ts';
import { formatDuration } from '../../text/format.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** WKL-023: pods behind a protocol whose connections stay open, with nothing known to end them. */
export const wkl023LastingConnections: Rule = {
  id: 'WKL-023',
  severities: ['info'],
  title: 'Connections that stay open until somebody ends them',
  why: 'The port says that it speaks a protocol whose connections stay open. When a node leaves, they have the drain time of its load balancer to end. Those that the server does not end by itself within that time break when the pod stops.',
  fix: 'Have the server end its connections after a maximum age below the drain time, in a way that clients notice, and declare that age in spec.waits.maxConnectionAge.',
  source: 'gRPC docs, Keepalive, MAX_CONNECTION_AGE; KEP-3726',
  needsLoadBalancers: true,
  check: (question) => {
    const balanced = balancedServices(question.facts);
    const ages = question.policy.waits.maxConnectionAgeMs;
    return groupPods(evictedPods(question), ({ services }) => {
      const service = services.find(
        ({ key, longLived }) => longLived !== undefined && balanced.has(key) && (ages[key] ?? ages['*']) === undefined,
      );
      if (service === undefined) return undefined;
      const delays = (balanced.get(service.key)?.groups ?? []).map((group) => group.deregistrationDelayMs);
      const drain = formatDuration(Math.max(0, ...delays));
      return {
        severity: 'info',
        message: `Service ${service.key} speaks ${service.longLived}: connections stay open, and have ${drain} to end when a node leaves`,
        fix: {
          text: `Have the server end connections that are older than it allows (gRPC: MAX_CONNECTION_AGE), after less than ${drain}; then set spec.waits.maxConnectionAge['${service.key}'] in policies.`,
        },
      };
    });
  },
};
