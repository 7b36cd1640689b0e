import type { TargetGroupFacts } from '../model/target-group.ts';
import { patchAnnotations, withCommands } from './commands.ts';
import type { Fix } from './fix.ts';
import type { AuditedObject } from './rule.ts';

/**
 * Commands that change interval or protocol of the health check of these target groups, by these annotations of their Service. There are none where that
 * would interrupt the Service.
 */
export function changeCheck(
  service: AuditedObject,
  groups: readonly TargetGroupFacts[],
  annotations: Readonly<Record<string, string | null>> | undefined,
): Pick<Fix, 'commands'> {
  const isFollowed = groups.every(({ followsService }) => followsService === 'in-place');
  return isFollowed ? withCommands(patchAnnotations(service, annotations)) : {};
}
