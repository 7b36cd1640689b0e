import { barePod } from '../../drain/rules/bare-pod.ts';
import { type AuditRule, podSubject, podsToMove } from './rule.ts';

/** WKL-017: pods that no controller starts again. */
export const wkl017BarePod: AuditRule = (question) =>
  podsToMove(question)
    .filter((pod) => pod.ownerKind === 'none' && !pod.mirror && pod.unlisted === undefined)
    .map((pod) => {
      const refused = barePod(pod, question.policy.drain) !== undefined;
      return {
        rule: 'WKL-017',
        severity: refused ? ('blocker' as const) : ('warning' as const),
        subject: podSubject(pod),
        message: refused
          ? 'no controller would start it again'
          : 'no controller starts it again: the run ends it (force)',
        hint: 'Give it a controller, delete it, or accept its loss with spec.drain.force.',
      };
    });
