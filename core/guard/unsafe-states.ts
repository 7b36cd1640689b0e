import { indexOf } from '../model/cluster-index.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetState } from '../model/target-group.ts';
import { instanceTargets } from '../model/targets-of.ts';
import { type ServiceState, targetGroupsOf } from './serving.ts';

/** Why a target cannot be deregistered from its target group at this moment without harm. */
export interface UnsafeState {
  readonly limit: 'stuck-target' | 'unnoticed';
  /** Name of the target group. */
  readonly group: string;
}

/**
 * Targets that must not be deregistered now, by node name. Both states resolve themselves.
 *
 * `stuck-target`: some controllers never deregister a node that was excluded while its target was `unhealthy.draining`: the target turns healthy
 * again and stays, with the label set.
 *
 * `unnoticed`: under policy Local a target can still be healthy though the node no longer has a ready endpoint. The load balancer sends to it
 * until its health checks have failed, which takes seconds. If the target were deregistered now, the load balancer would send for as long as a
 * deregistration takes to propagate, which is far longer, and no health check would end that.
 *
 * Both concern groups that never had a healthy target as well.
 */
export function findUnsafeStates(serviceState: ServiceState, facts: ServingFacts): ReadonlyMap<string, UnsafeState> {
  const { nodesByInstance } = indexOf(facts.cluster);
  const states = new Map<string, UnsafeState>();
  const local = serviceState.reach === 'host';
  for (const group of targetGroupsOf(serviceState.service.key, facts)) {
    for (const { instanceId, state } of instanceTargets(group)) {
      const limit = unsafeStateOf(state, local, group.strandsDraining);
      if (limit === undefined) continue;
      const node = nodesByInstance.get(instanceId)?.name;
      if (node === undefined || states.get(node)?.limit === 'stuck-target') continue;
      if (limit === 'stuck-target' || !serviceState.readyOn.has(node)) states.set(node, { limit, group: group.name });
    }
  }
  return states;
}

function unsafeStateOf(state: TargetState, local: boolean, strandsDraining: boolean): UnsafeState['limit'] | undefined {
  if (state === 'unhealthy.draining' && strandsDraining) return 'stuck-target';
  return state === 'healthy' && local ? 'unnoticed' : undefined;
}
