import type { ProtectiveRule } from '../steps/steps.ts';
import type { Policy } from './policy.ts';

/** True unless the policy switches the rule off. */
export function isEnabled(policy: Pick<Policy, 'disabledRules'>, rule: ProtectiveRule): boolean {
  return !policy.disabledRules.includes(rule);
}
