import type { Finding } from '../finding.ts';
import { onlyAnswerOf } from './only-answer.ts';
import type { ClusterRule } from './rule.ts';

/**
 * INF-008: a webhook that is called for each new pod and fails closed, and whose only pod is on a node to replace. While that pod moves no pod
 * can be created, including its own replacement. If it has several, one is left at any time: they leave one by one.
 */
export const inf008WebhookOnPool: ClusterRule = (question) => {
  const { webhooks = [] } = question.facts.cluster;
  const closed = webhooks.filter(({ failsOpen = false }) => !failsOpen);
  return [...Map.groupBy(closed, ({ service }) => service)].flatMap(([key, asked]): readonly Finding[] => {
    const pod = onlyAnswerOf(key, question);
    if (pod === undefined) return [];
    const more = asked.length > 1 ? ` and ${asked.length - 1} more` : '';
    return [
      {
        rule: 'INF-008',
        severity: 'error',
        subject: `service ${key}`,
        message: `${asked[0]?.key ?? ''}${more} is called for every new pod and fails closed, and pod ${pod.namespace}/${pod.name} alone answers: while it moves no pod can be created, including its own replacement, unless the webhook exempts its namespace`,
        hint: 'Give it a second replica on another node, or let pod surge replace it (a Deployment with maxSurge above 0); or have the webhook exempt its namespace (namespaceSelector).',
      },
    ];
  });
};
