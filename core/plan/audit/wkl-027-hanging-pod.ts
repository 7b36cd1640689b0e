import { decideDrain } from '../../drain/decide-drain.ts';
import { indexOf } from '../../model/cluster-index.ts';
import { tellPerWorkload } from './per-workload.ts';
import { type AuditRule, drainContext } from './rule.ts';

/** WKL-027: pods that were told to stop and should be gone: their node would stop there and ask for attention. */
export const wkl027HangingPod: AuditRule = (question) => {
  const index = indexOf(question.facts.cluster);
  return question.nodes.flatMap(({ name }) => {
    const context = { ...drainContext(question), silentSince: index.nodes.get(name)?.unknownSince };
    return tellPerWorkload('WKL-027', index.podsOn(name), (pod) => {
      const { outcome, reason } = decideDrain(pod, context);
      if (outcome !== 'hangs') return undefined;
      return { severity: 'error', message: reason, hint: 'See to it before the run: its node would wait for it.' };
    });
  });
};
