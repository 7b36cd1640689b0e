import { servicesOnPool } from '../../plan/audit/rule.ts';
import { listNames } from '../../text/format.ts';
import { patchObject } from '../commands.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { attributeFix } from '../target-group-attributes.ts';

/** SVC-024: clients that are kept at one pod or target, and lose it with its node. */
export const svc024StickyClients: Rule = {
  id: 'SVC-024',
  severities: ['info'],
  title: 'Clients that are kept at one target',
  why: 'A client that is always sent to the same target is sent to another one when its own leaves, and some load balancers assign clients anew with every change. State that only one pod has is lost then, and nodes empty unevenly.',
  fix: 'Keep the state of clients where every pod finds it, and switch affinity off if nothing else needs it.',
  source:
    'Kubernetes docs, Virtual IPs, Session affinity; Elastic Load Balancing user guide, target group attributes, sticky sessions',
  needsLoadBalancers: true,
  check: (question) =>
    servicesOnPool(question).flatMap(({ service, groups }) => {
      const object = named('Service', service.key);
      const text = 'If its pods do not depend on it, switch it off.';
      // Where the Service asks for it, its load balancer does the same because of that.
      if (service.clientAffinity === true)
        return [
          {
            severity: 'info' as const,
            object,
            message: 'sessionAffinity: ClientIP keeps each client at one pod, until that pod leaves',
            fix: { text, commands: patchObject(object, { spec: { sessionAffinity: 'None' } }) },
          },
        ];
      const sticky = groups.filter((group) => group.sticky === true);
      if (sticky.length === 0) return [];
      return [
        {
          severity: 'info' as const,
          object,
          message: `${listNames(sticky.map(({ name }) => name))} keeps each client at one target, until that target leaves`,
          fix: attributeFix(object, sticky, question.terms, { sticky: false }, text),
        },
      ];
    }),
};
