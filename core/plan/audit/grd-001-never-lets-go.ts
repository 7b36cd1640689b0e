import { listNames } from '../../text/format.ts';
import { isEnabled } from '../../waits/formulas.ts';
import { simulateWindows } from '../windows.ts';
import type { AuditRule } from './rule.ts';

/** GRD-001: played through with perfect progress, the floors never let some node go, so the run could not end. */
export const grd001NeverLetsGo: AuditRule = ({ policy, facts, services, nodes }) => {
  const { maxInFlight } = policy.guard;
  const enabled = isEnabled(policy, 'capacity-guard');
  const { stuck, reason } = simulateWindows({ facts, services, nodes, maxInFlight, enabled });
  if (stuck.length === 0) return [];
  return [
    {
      rule: 'GRD-001',
      severity: 'blocker',
      subject: `nodes ${listNames(stuck.map((node) => node.name))}`,
      message: `the floors never let them step out: ${reason ?? ''}`,
      hint: 'Add a replica on another node (of that zone), turn cross-zone balancing on, or lower the floor in spec.guard.floors.',
    },
  ];
};
