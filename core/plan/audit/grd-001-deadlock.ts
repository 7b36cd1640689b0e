import { explainRemedy, type GuardBlock } from '../../guard/block.ts';
import { podsToSpare } from '../../model/budget-demand.ts';
import { indexOf } from '../../model/cluster-index.ts';
import type { Policy } from '../../policy/policy.ts';
import { listNames } from '../../text/format.ts';
import type { AuditQuestion, AuditRule } from './rule.ts';
import { findSurgeMethod } from './surge-method.ts';

/** GRD-001: even with perfect progress the minimum serving never lets some node leave, so the run could not end. */
export const grd001Deadlock: AuditRule = (question) => {
  const { stuck, block, reason } = question.batches;
  if (stuck.length === 0) return [];
  return [
    {
      rule: 'GRD-001',
      severity: 'blocker',
      subject: `nodes ${listNames(stuck.map((node) => node.name))}`,
      message: `the minimum serving never allows them to be excluded: ${reason ?? ''}`,
      hint: [
        block === undefined ? 'Check the minimum serving.' : hintFor(block, question),
        findSurgeMethod(question) ?? [],
        'Then start again.',
      ]
        .flat()
        .join(' '),
    },
  ];
};

/** Only advice that really makes the run possible, and what each way costs. */
function hintFor(block: GuardBlock, { policy, facts }: AuditQuestion): string {
  const { limit, service = '', zone = '' } = block;
  switch (limit) {
    case 'zone':
      return (
        `Run one more replica of ${service} on another node of ${zone} (and of every zone that has only one): costs a pod per zone. ` +
        `Or enable cross-zone load balancing on its load balancer: traffic between zones is billed, ` +
        `and connections from a zone may be served in another.`
      );
    case 'endpoints':
      return hintForBudget(block);
    case 'targets':
      return hintForTargets(block, policy, indexOf(facts.cluster).service(service)?.externalTrafficPolicy === 'Local');
    case 'do-not-disrupt':
      return 'Remove the annotation.';
    case 'candidate':
      return explainRemedy(block) ?? '';
    case 'best':
    case 'rollout':
    case 'stuck-target':
    case 'unnoticed':
    case 'in-flight':
      return `Wait until ${service} is back at its baseline.`;
  }
}

/** More replicas are advised only where the budget would not demand them all as well. */
function hintForBudget({ budget = '', never }: GuardBlock): string {
  const spare = `Let budget ${budget} spare the pods of one node (maxUnavailable: 1 or more): that many are missing for a moment.`;
  if (never?.demand === undefined) return `${spare} Or add replicas on other nodes: costs the pods.`;
  const pods = podsToSpare(Math.max(1, never.takes), never.demand);
  if (pods === undefined) return spare;
  return `${spare} Or add replicas on other nodes until it has at least ${pods} pods: costs the pods.`;
}

/**
 * One more replica helps only if the minimum serving does not rise with it. A minimum serving of one cannot be lowered, because that would mean
 * none.
 */
function hintForTargets({ service = '', needs }: GuardBlock, policy: Policy, local: boolean): string {
  const written = policy.guard.minServing[service];
  const ways = [
    ...(local && (written === undefined || 'targets' in written)
      ? [`Run one more replica of ${service} on another node: costs a pod.`]
      : []),
    ...(needs > 1
      ? [
          `Lower its minimum serving in spec.guard.minServing['${service}']: that much capacity is missing for a moment.`,
        ]
      : []),
  ];
  return ways.join(' ');
}
