import { membershipOf } from '../../model/target-group.ts';
import { fixProbe } from '../containers.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** What a controller needs to attach a node after an endpoint has appeared there, seconds: the lease of its leader is 15 s, and some for the call. */
const attachSeconds = 20;

/** WKL-014: pods that are Ready before the load balancer knows their node. */
export const wkl014ReadyBeforeRegistered: Rule = {
  id: 'WKL-014',
  severities: ['warning'],
  title: 'Pods that are ready before their node is a target',
  why: 'This load balancer takes a node only after an endpoint has appeared on it, ready or not. A replacement that is ready at once counts as serving before any connection can reach it, and the pods that do serve may leave.',
  fix: 'Delay the first readiness probe until the node is attached.',
  source: 'ingress-gce pkg/neg/syncers/endpoints_calculator.go; source-IP preservation with readiness probes on GKE',
  needsLoadBalancers: true,
  check: (question) =>
    groupPods(evictedPods(question), ({ pod, need: { groups } }, object) => {
      const { readiness, readinessGates = [] } = pod.lifecycle ?? {};
      if (readiness === undefined || readinessGates.length > 0) return undefined;
      if (!groups.some((group) => membershipOf(group) === 'hosts-only')) return undefined;
      const { container, initialDelaySeconds = 0 } = readiness;
      if (initialDelaySeconds >= attachSeconds) return undefined;
      return {
        severity: 'warning',
        message: `a new one may be ready after ${initialDelaySeconds} s, and the load balancer may take ${attachSeconds} s to attach its node`,
        fix: fixProbe(
          { pod, object, container, text: `Begin to probe after ${attachSeconds} s.` },
          { initialDelaySeconds: attachSeconds },
          question,
        ),
      };
    }),
};
