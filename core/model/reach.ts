import type { ServiceFacts } from './service.ts';
import { hasPods, type TargetGroupFacts } from './target-group.ts';

/**
 * What of a Service its load balancers send to. `node`: any node, which forwards to a pod anywhere (policy Cluster). `host`: a node, which sends to its
 * own pods only (policy Local). `pod`: the pods themselves, whatever the policy.
 */
export type Reach = 'node' | 'host' | 'pod';

/** The reach of a Service with these target groups. Where only some of them have pods, the nodes of the others decide. */
export function reachOf(
  { externalTrafficPolicy }: Pick<ServiceFacts, 'externalTrafficPolicy'>,
  groups: readonly Pick<TargetGroupFacts, 'membership'>[],
): Reach {
  if (groups.length > 0 && groups.every(hasPods)) return 'pod';
  return externalTrafficPolicy === 'Local' ? 'host' : 'node';
}

/** Those of the groups that send to a node for its own pods: under policy Local, all that have nodes. */
export function hostGroupsOf<Group extends Pick<TargetGroupFacts, 'membership'>>(
  service: Pick<ServiceFacts, 'externalTrafficPolicy'>,
  groups: readonly Group[],
): readonly Group[] {
  return reachOf(service, groups) === 'host' ? groups.filter((group) => !hasPods(group)) : [];
}
