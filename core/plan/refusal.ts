import type { Problem } from '../model/problem.ts';
import { count } from '../text/format.ts';
import { adviseAcceptance } from './acceptance.ts';
import type { Finding } from './finding.ts';
import type { PoolPlan } from './pool-plan.ts';

/** The problem that refuses a plan: its blockers, each with its rule. Undefined when the run may begin. */
export function refusal(
  plan: Pick<PoolPlan, 'findings' | 'oldPool'> & Partial<Pick<PoolPlan, 'policy'>>,
): Problem | undefined {
  const blockers = plan.findings.filter((finding) => finding.severity === 'blocker');
  if (blockers.length === 0) return undefined;
  const list = blockers.map((finding) => `${finding.rule} ${finding.subject}: ${finding.message}`).join('; ');
  const isDrain = plan.policy?.selection !== undefined;
  const subject = isDrain
    ? `nodes of ${plan.oldPool.name} can't be drained`
    : `pool ${plan.oldPool.name} can't be replaced`;
  return {
    code: 'PreflightRefused',
    message: `${subject} without loss: ${count(blockers.length, 'blocker')}: ${list}`,
    hint: [...new Set(blockers.map((finding) => finding.hint)), ...adviseAcceptance(blockers, plan.policy ?? {})].join(
      ' ',
    ),
  };
}

/** What the plan cannot protect and the operator accepts by proceeding, in words: findings of rules about connections. */
export function unprotected(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter((finding) => finding.leavesUnprotected === true)
    .map((finding) => `${finding.subject}: ${finding.message}`);
}
