/** The new nodes of a run. */
import type { EventOf } from './events.ts';
import type { RunState } from './state.ts';

/** How many instances the new pool was asked to have, with those that it had before the run as far as the run needs them. */
export function requestedSize({ plan, requested }: RunState): number {
  const found = plan?.foundSize === undefined ? 0 : Math.min(plan.surge, plan.foundSize);
  return requested.reduce((sum, { instances }) => sum + instances, found);
}

/** The new pool was asked to have `size` instances. */
export function requestSize(state: RunState, { size }: EventOf<'requestSize'>): RunState {
  const more = { at: state.now, instances: size - requestedSize(state) };
  return { ...state, requested: [...state.requested, more] };
}

/** New nodes have started. */
export function recordNewNodes(state: RunState, { nodes, areRegistered }: EventOf<'recordNewNodes'>): RunState {
  return { ...state, newNodes: nodes, areNewNodesRegistered: areRegistered };
}
