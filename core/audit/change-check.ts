import type { TargetGroupFacts } from '../model/target-group.ts';
import { patchAnnotations, withCommands } from './commands.ts';
import type { AuditedObject, Fix } from './rule.ts';

/**
 * How to change interval or protocol of the health check of these target groups, by these annotations of their Service. There is no command where that
 * interrupts the Service.
 */
export function changeCheck(
  service: AuditedObject,
  groups: readonly TargetGroupFacts[],
  annotations: Readonly<Record<string, string | null>> | undefined,
): Partial<Fix> {
  const isReplaced = groups.some(({ followsService }) => followsService === 'with-new-group');
  if (isReplaced)
    return {
      text: 'Not while clients depend on it: its controller makes a new target group for another interval or protocol, and the Service has no healthy target for minutes. Have a second Service with a load balancer of its own take over, or do it in a maintenance window.',
    };
  const isFollowed = groups.every(({ followsService }) => followsService === 'in-place');
  return isFollowed ? withCommands(patchAnnotations(service, annotations)) : {};
}
