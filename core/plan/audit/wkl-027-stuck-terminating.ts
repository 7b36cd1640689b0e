import { classifyPod } from '../../eviction/classify-pod.ts';
import { indexOf } from '../../model/cluster-index.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, filterContext } from './rule.ts';

/** WKL-027: pods that should have terminated by now. Their node would wait for them and then stall. */
export const wkl027StuckTerminating: ClusterRule = (question) => {
  const index = indexOf(question.facts.cluster);
  return question.nodes.flatMap(({ name }) => {
    const context = { ...filterContext(question), silentSince: index.nodes.get(name)?.unknownSince };
    return groupByWorkload('WKL-027', index.podsOn(name), (pod) => {
      const { outcome, reason } = classifyPod(pod, context);
      if (outcome !== 'stuck-terminating') return undefined;
      return { severity: 'error', message: reason, hint: 'Fix it before the run: its node would wait for it.' };
    });
  });
};
