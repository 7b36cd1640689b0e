import { stateOf } from '../../guard/serving.ts';
import { afterPodSurge, auditedServices, type ClusterRule } from './rule.ts';

/** SVC-002: without cross-zone balancing, a zone that only one node serves loses its address while that node leaves. */
export const svc002SingleNodeZone: ClusterRule = (question) => {
  const after = afterPodSurge(question);
  return auditedServices(after)
    .filter(({ service }) => service.externalTrafficPolicy === 'Local')
    .flatMap(({ service, groups }) => {
      const serving = [...stateOf(service, after.facts).serving.values()];
      const zones = new Set(groups.filter((group) => !group.crossZone).flatMap((group) => group.zones));
      const thin = [...zones].filter((zone) => serving.filter((node) => node.zone === zone).length === 1).toSorted();
      if (thin.length === 0) return [];
      return [
        {
          rule: 'SVC-002',
          severity: 'error' as const,
          subject: `service ${service.key}`,
          message: `cross-zone balancing is off and one node alone serves ${thin.join(', ')}`,
          hint: 'Enable cross-zone balancing, or run two replicas on different nodes of each zone.',
        },
      ];
    });
};
