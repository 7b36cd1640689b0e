import type { AuditRule } from './rule.ts';

/** POL-001: the policy names a Service that the pool does not carry; most often a misspelt name. */
export const pol001UnknownService: AuditRule = ({ policy, services }) => {
  const known = new Set(services.map((plan) => plan.service));
  const named = [
    ...Object.keys(policy.guard.floors).map((service) => ({ service, field: 'spec.guard.floors' })),
    ...Object.keys(policy.waits.maxConnectionAgeMs).map((service) => ({
      service,
      field: 'spec.waits.maxConnectionAge',
    })),
  ];
  return named
    .filter(({ service }) => service !== '*' && !known.has(service))
    .map(({ service, field }) => ({
      rule: 'POL-001',
      severity: 'warning',
      subject: `service ${service}`,
      message: `${field} names it, but the pool carries no such Service`,
      hint: `Services of this pool: ${[...known].join(', ') || 'none'}.`,
    }));
};
