import type { Finding } from '../finding.ts';
import type { AuditRule } from './rule.ts';

/** POL-001: the policy names a Service that the pool does not carry, or that does not exist; most often a misspelt name. */
export const pol001UnknownService: AuditRule = ({ policy, facts, services }) => {
  const ofPool = services.map((plan) => plan.service);
  const ofCluster = facts.cluster.services.map((service) => service.key);
  const notCarried = (service: string, field: string): Finding => ({
    rule: 'POL-001',
    severity: 'warning',
    subject: `service ${service}`,
    message: `${field} names it, but the pool carries no such Service`,
    hint: `Services of this pool: ${ofPool.join(', ') || 'none'}.`,
  });
  const notThere = (service: string): Finding => ({
    rule: 'POL-001',
    severity: 'warning',
    subject: `service ${service}`,
    message: 'spec.guard.acceptUnprotected names it, but the cluster has no such Service',
    hint: `Services that can't be protected: ${facts.unsupported.map((fact) => fact.service).join(', ') || 'none'}.`,
  });
  const unknown = (named: Readonly<Record<string, unknown>>) =>
    Object.keys(named).filter((service) => service !== '*' && !ofPool.includes(service));
  return [
    ...unknown(policy.guard.minServing).map((service) => notCarried(service, 'spec.guard.minServing')),
    ...unknown(policy.waits.maxConnectionAgeMs).map((service) => notCarried(service, 'spec.waits.maxConnectionAge')),
    // A Service with pods on other nodes can still pass connections through the pool.
    ...policy.guard.acceptUnprotected.filter((service) => !ofCluster.includes(service)).map(notThere),
  ];
};
