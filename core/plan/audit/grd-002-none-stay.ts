import { balancedServices, stateOf } from '../../guard/serving.ts';
import { indexOf } from '../../model/cluster-index.ts';
import { isExcludedFrom } from '../../model/excluded-from.ts';
import type { ServiceFacts } from '../../model/service.ts';
import { membershipOf } from '../../model/target-group.ts';
import { membersOf } from '../../policy/members.ts';
import { listNames } from '../../text/format.ts';
import { zonesThatStay } from '../zones-that-stay.ts';
import type { AuditQuestion, AuditRule } from './rule.ts';

/**
 * GRD-002: no target of a load balancer would stay, or none in a zone that needs one. New nodes take the place of those that an upgrade replaces;
 * nothing takes that of drained ones.
 */
export const grd002NoneStay: AuditRule = (question) => {
  const { policy, facts } = question;
  if (policy.selection === undefined) return [];
  return [...balancedServices(facts).values()].flatMap(({ service, groups }) => {
    const { all, zones } = findPlaces(service, question);
    if (all.length === 0) return [];
    const needed = new Set(groups.filter(({ crossZone }) => !crossZone).flatMap((group) => group.zones));
    const lost = [...new Set(all.map(({ zone }) => zone))].filter((zone) => needed.has(zone) && !zones.has(zone));
    if (zones.size > 0 && lost.length === 0) return [];
    return [
      {
        rule: 'GRD-002',
        severity: 'blocker' as const,
        subject: `service ${service.key}`,
        message:
          zones.size === 0
            ? 'all nodes that its load balancer sends connections to would be drained'
            : `no node of ${listNames(lost)} that could serve it would stay, and its load balancer needs a target in each zone`,
        hint: 'Add nodes first, or drain fewer.',
      },
    ];
  });
};

/**
 * Nodes that serve a Service now, and zones with a node that stays and could: under policy Local its pods can move there, under policy Cluster it is
 * registered, or it can be drawn.
 */
function findPlaces(service: ServiceFacts, { policy, facts }: AuditQuestion) {
  const { nodes } = indexOf(facts.cluster);
  const { old } = membersOf(facts.cluster, policy);
  const { serving, attached, groups } = stateOf(service, facts);
  const all = [...serving.keys()].flatMap((name) => nodes.get(name) ?? []);
  const isDrawn = groups.some((group) => membershipOf(group) === 'subset');
  const staying = [...(isDrawn ? nodes.keys() : attached)].flatMap((name) => {
    const node = nodes.get(name);
    if (node === undefined || old.has(node.uid)) return [];
    return groups.some((group) => isExcludedFrom(node, group)) ? [] : [node.zone];
  });
  const open = service.externalTrafficPolicy === 'Local' ? [...zonesThatStay(facts.cluster, policy)] : [];
  return { all, zones: new Set([...staying, ...open]) };
}
