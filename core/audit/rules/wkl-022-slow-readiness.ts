import { fixProbe } from '../containers.ts';
import { evictedPods, failuresToOutlast } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** For how long a pod that has stopped serving may stay an endpoint without a finding, seconds: as long as with the defaults of Kubernetes. */
const usualSeconds = 30;

/** WKL-022: a readiness probe that notices late that a pod does not serve any more. */
export const wkl022SlowReadiness: Rule = {
  id: 'WKL-022',
  severities: ['info'],
  title: 'A readiness probe that notices failures late',
  why: 'A replacement that stops serving stays an endpoint until its readiness probe has failed often enough. Until then budgets, rollouts and nodeferry count it as serving, and the next pod may leave.',
  fix: 'Lower periodSeconds or failureThreshold of the readiness probe, as far as WKL-009 allows.',
  source: 'Kubernetes docs, Configure Liveness, Readiness and Startup Probes',
  // Only they say how much of it WKL-009 asks for.
  needsLoadBalancers: true,
  check: (question) =>
    groupPods(
      evictedPods(question).filter(({ isBalanced }) => isBalanced),
      (evicted, object) => {
        const { readiness } = evicted.pod.lifecycle ?? {};
        if (readiness === undefined) return undefined;
        const { container, periodSeconds, failureThreshold } = readiness;
        const { failures: needed = 1 } = failuresToOutlast(evicted, question) ?? {};
        const allowed = Math.max(1, needed, Math.floor(usualSeconds / periodSeconds));
        if (failureThreshold <= allowed) return undefined;
        return {
          severity: 'info',
          message: `a pod that stops serving stays an endpoint for ${periodSeconds * failureThreshold} s (${failureThreshold} failures every ${periodSeconds} s)`,
          fix: fixProbe(
            {
              pod: evicted.pod,
              object,
              container,
              text: `Lower failureThreshold to ${allowed}: that is ${periodSeconds * allowed} s.`,
            },
            { failureThreshold: allowed },
            question,
          ),
        };
      },
    ),
};
