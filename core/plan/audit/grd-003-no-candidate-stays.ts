import { findCandidateZones } from '../../guard/candidates.ts';
import { oldNodes } from '../../policy/members.ts';
import type { AuditRule } from './rule.ts';

/** GRD-003: no candidate node would stay in a zone where load balancers have pods as targets. An upgrade brings new ones, a drain does not. */
export const grd003NoCandidateStays: AuditRule = ({ policy, facts }) => {
  if (policy.selection === undefined) return [];
  const now = findCandidateZones(facts, []);
  const after = findCandidateZones(facts, oldNodes(facts.cluster, policy));
  return [...after].flatMap(([zone, { service, group, candidates }]) =>
    candidates.size > 0 || now.get(zone)?.candidates.size === 0
      ? []
      : [
          {
            rule: 'GRD-003',
            severity: 'blocker' as const,
            subject: `zone ${zone}`,
            message: `no candidate node would stay in it, and so all pods of ${service} there would be taken out of ${group}`,
            hint: `Have a node in ${zone} that stays, is Ready and is not excluded from load balancers, of whatever pool. Or drain fewer.`,
          },
        ],
  );
};
