import type { AuditRule } from './rule.ts';

/** POL-002: protective rules are disabled. */
export const pol002DisabledRules: AuditRule = ({ policy }) =>
  policy.disabledRules.map((rule) => ({
    rule: 'POL-002',
    severity: 'error',
    subject: `rule ${rule}`,
    message: 'it is disabled: connections can be lost',
    hint: 'Remove it from spec.disabledRules; it is meant for experiments.',
    leavesUnprotected: true,
  }));
