import { indexOf } from '../../model/cluster-index.ts';
import { listNames } from '../../text/format.ts';
import type { ClusterRule } from './rule.ts';

/** INF-013: nodes to replace with an annotation that asks not to disrupt them. */
export const inf013ProtectedNode: ClusterRule = ({ policy, facts, nodes }) => {
  const index = indexOf(facts.cluster);
  const asking = nodes.filter(({ name }) => index.nodes.get(name)?.doNotDisrupt === true).map(({ name }) => name);
  if (asking.length === 0) return [];
  const asks = 'karpenter.sh/do-not-disrupt: "true" asks to leave it alone';
  const does = {
    refuse: '',
    wait: ': it stays until the annotation is removed',
    evict: ', and the run replaces it in spite of that (spec.drain.doNotDisrupt)',
  }[policy.drain.doNotDisrupt];
  return [
    {
      rule: 'INF-013',
      severity: policy.drain.doNotDisrupt === 'refuse' ? 'blocker' : 'warning',
      subject: `node ${listNames(asking)}`,
      message: `${asks}${does}`,
      hint: 'Remove the annotation, or say in spec.drain.doNotDisrupt whether the run should wait or continue.',
    },
  ];
};
