import { findSwitchedOff } from '../../policy/zeroed.ts';
import type { AuditRule } from './rule.ts';

/** POL-003: a timer of `0s` or a minimum serving of zero disables a protection, as a disabled rule does. */
export const pol003Zeroed: AuditRule = ({ policy }) =>
  findSwitchedOff(policy).map((field) => ({
    rule: 'POL-003',
    severity: 'error',
    subject: `spec.${field}`,
    message: 'that disables it: connections can be lost',
    hint: 'Leave it out: the default is made for the cloud; measure before you shorten it.',
    leavesUnprotected: true,
  }));
