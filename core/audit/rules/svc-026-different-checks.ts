import { balancedServices } from '../../guard/serving.ts';
import { hostGroupsOf } from '../../model/reach.ts';
import { formatDuration } from '../../text/format.ts';
import { evictionReactionMs } from '../../waits/formulas.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** SVC-026: pods behind several load balancers that notice an eviction after different times. */
export const svc026DifferentChecks: Rule = {
  id: 'SVC-026',
  severities: ['info'],
  title: 'Load balancers of the same pods with different health checks',
  why: 'A pod has one preStop hook for all of its load balancers, so the slowest health check decides how long it must serve on. Other findings count with that one.',
  fix: 'Give all of them the same interval and thresholds.',
  source: 'source-IP preservation proposal, (unhealthy threshold + 1) times the interval',
  needsLoadBalancers: true,
  check: (question) => {
    const balanced = balancedServices(question.facts);
    const { waits } = question.policy;
    return groupPods(evictedPods(question), ({ services }) => {
      const reactions = services.flatMap((service) => {
        const { key } = service;
        const groups = hostGroupsOf(service, balanced.get(key)?.groups ?? []);
        if (groups.length === 0) return [];
        return [{ key, ms: Math.max(...groups.map((group) => evictionReactionMs(group, waits))) }];
      });
      if (new Set(reactions.map(({ ms }) => ms)).size < 2) return undefined;
      const told = reactions.map(({ key, ms }) => `${key} ${formatDuration(ms)}`).join(', ');
      return {
        severity: 'info',
        message: `their load balancers send on for different times after an eviction (${told})`,
        fix: { text: 'Give the Services the same health check, or count with the slowest for all of them.' },
      };
    });
  },
};
