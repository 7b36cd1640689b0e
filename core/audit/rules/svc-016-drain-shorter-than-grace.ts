import { preStopOf } from '../../model/pre-stop.ts';
import { formatDuration } from '../../text/format.ts';
import { evictedPods } from '../eviction-needs.ts';
import { named } from '../objects.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';
import { attributeFix, canSet, isUndrained } from '../target-group-attributes.ts';

/** No load balancer drains for longer (Compute Engine docs, Enable connection draining; Elastic Load Balancing user guide, deregistration delay). */
const maxDrainSeconds = 3_600;

/** SVC-016: the load balancer ends connections earlier than the pods that serve them. */
export const svc016DrainShorterThanGrace: Rule = {
  id: 'SVC-016',
  severities: ['warning'],
  title: 'A load balancer that drains for less time than its pods',
  why: 'When a node leaves, its load balancer ends what is left at the end of its drain time. The grace period says how long the pods may need to finish their requests. Requests that take longer than the drain time are cut, though their pods would have finished them.',
  fix: 'Raise the drain time of the load balancer to the grace period of the pods without their preStop time, or lower the grace period.',
  source:
    'Compute Engine docs, Enable connection draining; Elastic Load Balancing user guide, target group attributes, deregistration delay',
  needsLoadBalancers: true,
  check: (question) =>
    groupPods(evictedPods(question), ({ pod, need: { groups, service } }) => {
      const { terms } = question;
      const finishMs = (pod.terminationGracePeriodSeconds - preStopOf(pod)) * 1000;
      const cutting = groups.filter((group) => group.terminatesConnectionsAfterDelay === true);
      const short = cutting.filter((group) => group.deregistrationDelayMs < finishMs);
      if (short.length === 0) return undefined;
      const drains = short.map(
        ({ name, deregistrationDelayMs }) => `${name} after ${formatDuration(deregistrationDelayMs)}`,
      );
      const seconds = Math.min(maxDrainSeconds, Math.ceil(finishMs / 1000));
      const wanted = { drainSeconds: seconds };
      const settable = isUndrained(service, terms) ? [] : short.filter((group) => canSet(group, terms, wanted));
      const text = `Raise the drain time of the load balancer of ${service.key} to ${seconds} s (${terms.drainTime}), or lower terminationGracePeriodSeconds if requests are shorter.`;
      return {
        severity: 'warning',
        message: `their grace period leaves ${formatDuration(finishMs)} to finish requests, and the load balancer of ${service.key} ends them earlier (${drains.join(', ')})`,
        fix:
          settable.length === 0 ? { text } : attributeFix(named('Service', service.key), settable, terms, wanted, text),
      };
    }),
};
