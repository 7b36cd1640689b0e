import { readyEndpoints } from '../../model/ready-endpoints.ts';
import { afterPodSurge, type ClusterRule, hostServices } from './rule.ts';

/**
 * SVC-001: a Local Service that one node alone serves is not served while that node leaves. Pods of it on other nodes do not serve while they are not
 * ready, so it does not matter whether those leave.
 */
export const svc001SingleNode: ClusterRule = (question) => {
  const leaving = new Set(question.nodes.map(({ name }) => name));
  return hostServices(afterPodSurge(question)).flatMap(({ service }) => {
    const ready = readyEndpoints(service, question.surged.cluster);
    const [only, ...others] = new Set(ready.map(({ node }) => node));
    if (only === undefined || others.length > 0 || !leaving.has(only)) return [];
    return [
      {
        rule: 'SVC-001',
        severity: 'blocker' as const,
        subject: `service ${service.key}`,
        message: `policy Local and ready endpoints on 1 node, ${only}: nothing serves while it leaves`,
        hint: 'Run at least two replicas on different nodes.',
      },
    ];
  });
};
