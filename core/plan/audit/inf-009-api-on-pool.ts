import type { Finding } from '../finding.ts';
import { onlyAnswerOf } from './only-answer.ts';
import type { ClusterRule } from './rule.ts';

/** INF-009: a part of the API that one pod serves, which is on a node to replace. While it moves that part of the API does not answer. */
export const inf009ApiOnPool: ClusterRule = (question) => {
  const { apiServices = [] } = question.facts.cluster;
  return [...Map.groupBy(apiServices, ({ service }) => service)].flatMap(([key, served]): readonly Finding[] => {
    const pod = onlyAnswerOf(key, question);
    if (pod === undefined) return [];
    return [
      {
        rule: 'INF-009',
        severity: 'warning',
        subject: `service ${key}`,
        message: `pod ${pod.namespace}/${pod.name} alone serves ${served.map((one) => one.key).join(', ')}: while it moves, whoever depends on that gets errors, such as autoscalers that read metrics`,
        hint: 'Give it a second replica on another node, or let pod surge replace it (a Deployment with maxSurge above 0).',
      },
    ];
  });
};
