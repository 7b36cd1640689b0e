import { barePod } from '../../drain/rules/bare-pod.ts';
import { tellPerWorkload } from './per-workload.ts';
import { type AuditRule, podsToMove } from './rule.ts';

/** WKL-017: pods that no controller starts again. */
export const wkl017BarePod: AuditRule = (question) =>
  tellPerWorkload('WKL-017', podsToMove(question), (pod) => {
    if (pod.ownerKind !== 'none' || pod.mirror || pod.unlisted !== undefined) return undefined;
    const refused = barePod(pod, question.policy.drain) !== undefined;
    return {
      severity: refused ? 'blocker' : 'warning',
      message: refused
        ? 'no controller would start it again'
        : 'no controller starts it again: the run ends it (force)',
      hint: 'Give it a controller, delete it, or accept its loss with spec.drain.force.',
    };
  });
