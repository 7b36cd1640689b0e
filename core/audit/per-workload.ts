import type { PodFacts } from '../model/pod.ts';
import { count } from '../text/format.ts';
import { workloadOf } from './objects.ts';
import { type AuditedObject, formatObject, type Violation } from './rule.ts';

/** What a rule says of the pods of one workload. `{n}` in the message is the number of pods. */
type PodViolation = Omit<Violation, 'object'>;

/**
 * Violations of pods, one for each workload: a thousand pods of one Deployment with the same fault are one thing to fix. The message begins with how
 * many pods it is about.
 */
export function groupPods<T extends { readonly pod: PodFacts }>(
  all: readonly T[],
  tell: (one: T, object: AuditedObject) => PodViolation | undefined,
): readonly Violation[] {
  const told = all.flatMap((one) => {
    const object = workloadOf(one.pod);
    const violation = tell(one, object);
    return violation === undefined ? [] : [{ ...violation, object }];
  });
  const groups = Map.groupBy(told, ({ object, severity, message }) => `${formatObject(object)}|${severity}|${message}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ ...first, message: `${count(group.length, 'pod')}: ${first.message}` }];
  });
}
