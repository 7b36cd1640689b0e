import { decideDrain } from '../../drain/decide-drain.ts';
import { tellPerWorkload } from './per-workload.ts';
import { type AuditRule, podsToMove } from './rule.ts';

/** WKL-018: emptyDir data ends with the pod. */
export const wkl018EmptyDir: AuditRule = (question) =>
  tellPerWorkload('WKL-018', podsToMove(question), (pod) => {
    const { drain } = question.policy;
    if (!pod.hasEmptyDir || decideDrain(pod, { ...drain, force: true }).outcome === 'skip') return undefined;
    const refused = !drain.deleteEmptyDirData;
    return {
      severity: refused ? 'blocker' : 'info',
      message: refused ? 'it has emptyDir data, which would be lost' : 'its emptyDir data is lost (deleteEmptyDirData)',
      hint: 'Move the data to a volume, or accept its loss with spec.drain.deleteEmptyDirData.',
    };
  });
