import { podsToMove } from '../../plan/audit/rule.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** WKL-024: pods that are Ready only because the controller stopped waiting for the load balancer. */
export const wkl024GateTimedOut: Rule = {
  id: 'WKL-024',
  severities: ['warning'],
  title: 'Readiness gates that opened without a healthy target',
  why: 'The controller opens the readiness gate of a pod after ten minutes, whatever the load balancer says. Such a pod is Ready and counts as serving, though the load balancer may never have sent to it.',
  fix: 'Find out why the load balancer does not find the pods healthy: the path and port of its health check, or a firewall. Then restart the pods.',
  source: 'ingress-gce pkg/neg/readiness/reflector.go',
  check: (question) => {
    const { gateTimeout } = question.terms;
    if (gateTimeout === undefined) return [];
    const pods = podsToMove(question).map((pod) => ({ pod }));
    return groupPods(pods, ({ pod: { gatesOpenedBy = {} } }) => {
      const gate = Object.keys(gatesOpenedBy).find((type) => gatesOpenedBy[type] === gateTimeout);
      if (gate === undefined) return undefined;
      return {
        severity: 'warning',
        message: `readiness gate ${gate} opened with ${gateTimeout}: the load balancer had not found them healthy`,
        fix: {
          text: 'Compare the health check of their load balancer with what they answer, and its firewall rule with their ports. Then restart them: a gate that is open stays open.',
        },
      };
    });
  },
};
