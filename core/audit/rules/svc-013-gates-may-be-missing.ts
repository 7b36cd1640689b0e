import { podsToMove } from '../../plan/audit/rule.ts';
import { count } from '../../text/format.ts';
import type { Rule } from '../rule.ts';

/** SVC-013: a webhook for readiness gates without which pods are created too. */
export const svc013GatesMayBeMissing: Rule = {
  id: 'SVC-013',
  severities: ['info'],
  title: 'Readiness gates that may be missing without notice',
  why: 'The webhook that adds readiness gates to new pods fails open. While its controller is away, as when its own node is replaced, pods are created without a gate, and are ready before the load balancer sends to them.',
  fix: 'Have the webhook fail closed, once its controller has two replicas on different nodes (INF-005).',
  source: 'AWS Load Balancer Controller, docs/deploy/pod_readiness_gate.md and helm/aws-load-balancer-controller',
  check: (question) => {
    const { readinessGateWebhook: own } = question.terms;
    const webhooks = question.facts.cluster.webhooks ?? [];
    const open = webhooks.find(({ key, failsOpen }) => failsOpen === true && key.endsWith(`, webhook ${own?.name}`));
    if (own === undefined || open === undefined) return [];
    const gated = podsToMove(question).filter(({ lifecycle }) => (lifecycle?.readinessGates ?? []).length > 0);
    if (gated.length === 0) return [];
    const [configuration = ''] = open.key.split(', webhook ');
    const [kind = '', name = ''] = configuration.split(' ');
    return [
      {
        severity: 'info' as const,
        object: { kind, name },
        message: `webhook ${own.name} fails open, and ${count(gated.length, 'pod')} on these nodes have their readiness gates from such a webhook: replacements may lack them`,
        fix: {
          text: `Set ${own.setting}. Pods with readiness gates cannot be created then while the webhook is away.`,
        },
      },
    ];
  },
};
