import { decideDrain } from '../../drain/decide-drain.ts';
import { type AuditRule, podSubject, podsToMove } from './rule.ts';

/** WKL-018: emptyDir data ends with the pod. */
export const wkl018EmptyDir: AuditRule = (question) =>
  podsToMove(question)
    .filter((pod) => pod.hasEmptyDir && decideDrain(pod, { ...question.policy.drain, force: true }).outcome !== 'skip')
    .map((pod) => {
      const refused = !question.policy.drain.deleteEmptyDirData;
      return {
        rule: 'WKL-018',
        severity: refused ? ('blocker' as const) : ('info' as const),
        subject: podSubject(pod),
        message: refused
          ? 'it has emptyDir data, which would be lost'
          : 'its emptyDir data is lost (deleteEmptyDirData)',
        hint: 'Move the data to a volume, or accept its loss with spec.drain.deleteEmptyDirData.',
      };
    });
