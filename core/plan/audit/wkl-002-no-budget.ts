import { budgetsOf } from '../../guard/min-serving.ts';
import { auditedServices, type ClusterRule } from './rule.ts';

/** WKL-002: without a PodDisruptionBudget others may evict the same Service's pods at the same time. */
export const wkl002NoBudget: ClusterRule = (question) =>
  auditedServices(question)
    .filter(({ service }) => service.endpoints.length > 0 && budgetsOf(service, question.facts.cluster).length === 0)
    .map(({ plan, service, groups }) => ({
      rule: 'WKL-002',
      severity: 'warning',
      subject: `service ${service.key}`,
      message:
        groups.length === 0
          ? 'no PodDisruptionBudget covers its pods'
          : `no PodDisruptionBudget covers its pods; the minimum serving is ${plan.minServing.targets} (${plan.minServing.source})`,
      hint: 'Add a PodDisruptionBudget: other tools respect it too.',
    }));
