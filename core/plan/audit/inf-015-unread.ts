import type { UnreadFacts } from '../../model/unread.ts';
import type { FindingSeverity } from '../finding.ts';
import type { ClusterQuestion, ClusterRule } from './rule.ts';

/** What the plan does not know while a resource cannot be read. */
interface Unknown {
  readonly severity: FindingSeverity;
  readonly message: string;
}

/** INF-015: what the role of nodeferry may not read, and what the plan does not know because of that. The run proceeds without it. */
export const inf015Unread: ClusterRule = (question) =>
  (question.facts.cluster.unread ?? []).map((unread) => ({
    rule: 'INF-015',
    subject: unread.resource,
    hint: unread.hint,
    ...explainUnknown(unread, question),
  }));

function explainUnknown({ resource }: UnreadFacts, { services, facts }: ClusterQuestion): Unknown {
  const [about] =
    Object.entries(unknownWithout)
      .find(([name]) => resource.includes(name))
      ?.slice(1) ?? [];
  return {
    severity:
      resource.includes('targetgroupbindings') ||
      (resource.includes('ingresses') && facts.cluster.services.some(({ type }) => type === 'NodePort')) ||
      (resource.includes('networkpolicies') && services.some(({ removeEndpoints }) => removeEndpoints))
        ? 'warning'
        : 'info',
    message: `not allowed to list them${about === undefined ? '' : `: ${about}`}`,
  };
}

/** By a part of the resource's name. */
const unknownWithout: Readonly<Record<string, string>> = {
  networkpolicies:
    'a policy that goes by a label which a pod loses while it leaves its endpoints may cut what it is in the middle of',
  horizontalpodautoscalers: 'one that counts all pods of a workload would scale it up during pod surge',
  persistentvolumes: 'a pod whose volume is on an old node would find no place on a new one',
  targetgroupbindings:
    'pods to which the load balancer of an Ingress or a Gateway sends would be evicted while it still sends to them',
  ingresses: 'the load balancer of one may send to a Service of type NodePort, and would not be waited for',
  verticalpodautoscalers: 'one may give replacements more than fits on a new node',
  webhookconfigurations: 'one whose only pod is on the pool would keep new pods from being created while that moves',
  apiservices: 'a part of the API that a pod on the pool serves alone would not answer while that pod moves',
  nodepools: 'Karpenter may take nodes away that pods have moved to',
  resourcequotas: 'one without room for more pods would keep replacements from being created',
  limitranges: 'one that rejects the requests of pods would keep replacements from being created',
  replicationcontrollers:
    'one that selects pods by labels which those of a Deployment have too adopts them when they are released',
};
