import { forwardedAge } from '../../waits/formulas.ts';
import { auditedServices, type ClusterRule } from './rule.ts';

/**
 * CON-001: under policy Cluster, connections pass through a node to pods on other nodes. If nothing is known to end them, they break with the
 * node's instance.
 */
export const con001UnknownAge: ClusterRule = (question) =>
  auditedServices(question)
    .filter(({ service, groups }) => {
      const policy = service.externalTrafficPolicy;
      return forwardedAge(service.key, policy, groups, question.policy).endedBy === 'unknown';
    })
    .map(({ service }) => ({
      rule: 'CON-001',
      severity: 'warning',
      subject: `service ${service.key}`,
      message: 'connections may pass through old nodes, and nothing says how old they can become',
      hint: `Give spec.waits.maxConnectionAge['${service.key}'] the age at which the server recycles connections.`,
      leavesUnprotected: true,
    }));
