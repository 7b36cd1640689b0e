import { acceptUnprotected } from './accept-unprotected.ts';
import { approve, reject, requestApproval, withoutApproval } from './approvals.ts';
import { recordNewNodes, requestSize } from './capacity.ts';
import { endNode } from './end-node.ts';
import type { EventOf, RunEvent } from './events.ts';
import {
  acceptLosses,
  confirmLock,
  exceedBudget,
  recordOutlook,
  recordTraffic,
  startMonitor,
  stopMonitor,
} from './monitor.ts';
import { restoreNode, setEvidence, startNode, trackNodes } from './nodes.ts';
import { requestOldNodes, restoreOldPool } from './old-pool.ts';
import {
  abort,
  beginRollback,
  overrideWindow,
  pause,
  resume,
  retry,
  rollback,
  setConcurrency,
  withdraw,
} from './operators.ts';
import {
  advanceSequence,
  finishRun,
  isFinished,
  recordPlan,
  recordTime,
  recordWindow,
  setPhase,
  setWaiting,
} from './phases.ts';
import { recordExternalChanges, recordRetained, recordUnprotected } from './records.ts';
import { dropRollback, popRollback, pushRollback, recordSuspended } from './rollback.ts';
import { recordUncordoned, skip } from './skip.ts';
import { clearStalled, endStall, markStalled, stall } from './stalled.ts';
import type { RunState } from './state.ts';

type Reducers = { readonly [T in RunEvent['type']]: (state: RunState, event: EventOf<T>) => RunState };

const reducers: Reducers = {
  setPhase,
  setWaiting,
  recordTime,
  advanceSequence,
  recordPlan,
  recordLock: (state, { lock }) => ({ ...state, lock }),
  setIdle: (state) => ({ ...state, idleAt: state.now }),
  recordWindow,
  requestApproval,
  finishRun,
  pause,
  resume,
  retry,
  skip,
  abort: (state, event) => withoutApproval(abort(state, event)),
  rollback: (state, event) => withoutApproval(rollback(state, event)),
  approve,
  reject,
  'override-window': overrideWindow,
  'set-concurrency': setConcurrency,
  'accept-unprotected': acceptUnprotected,
  withdraw,
  pushRollback,
  dropRollback,
  popRollback,
  recordSuspended,
  beginRollback,
  trackNodes,
  startNode: (state, event) => startNode(clearStalled(state, event.node), event),
  setEvidence,
  recordUncordoned,
  restoreNode,
  endNode,
  stall,
  endStall,
  markStalled,
  clearStalled,
  requestOldNodes,
  restoreOldPool,
  requestSize,
  recordNewNodes,
  recordBaselines: (state, { baselines }) => ({ ...state, baselines }),
  setEvictedInstead: (state, { workloads }) => ({ ...state, evictedInstead: workloads }),
  recordExternalChanges,
  recordUnprotected,
  recordRetained,
  startMonitor,
  recordTraffic,
  recordOutlook,
  confirmLock,
  acceptLosses,
  exceedBudget,
  stopMonitor,
};

/** The state of a run after an event. Only this function makes states. An event that no longer applies changes nothing. */
export function reduce(state: RunState, event: RunEvent): RunState {
  if (isFinished(state)) return state;
  const reducer = reducers[event.type] as (before: RunState, happened: RunEvent) => RunState;
  return reducer(state, event);
}
