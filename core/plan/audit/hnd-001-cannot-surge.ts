import { count } from '../../text/format.ts';
import type { AuditRule } from './rule.ts';

/** HND-001: pods for which the policy requires pod surge, and that cannot be surged. */
export const hnd001CannotSurge: AuditRule = ({ podSurge }) =>
  podSurge
    .filter(({ required }) => required === true)
    .map(({ workload, pods, reason = '', hint }) => ({
      rule: 'HND-001',
      severity: 'blocker',
      subject: `${count(pods, 'pod')} of ${workload}`,
      message: `the policy requires pod surge, but ${reason}`,
      hint: [...(hint === undefined ? [] : [hint, 'Or:']), 'Set mode auto for it in spec.podSurge.workloads.'].join(
        ' ',
      ),
    }));
