import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { beginStatus } from '../../core/status/begin-status.ts';
import type { PoolUpgradeInput } from '../messages.ts';
import { setHandlers } from './handlers.ts';
import type { Run } from './run.ts';

/** Opens a run: its status, and its handlers before anything else can happen. */
export function openRun(input: PoolUpgradeInput): Run {
  const startedAt = Date.now();
  const run: Run = {
    input,
    status: { ...beginStatus({ ...input, workflowId: workflowInfo().workflowId, startedAt }) },
    rollback: [],
    forward: new CancellationScope(),
    children: {},
    stalledNodes: {},
    rounds: {},
    sequence: 0,
    baselines: [],
    isAsking: false,
    plan: undefined,
    lock: undefined,
    watch: undefined,
    newNodes: [],
    requested: [],
    areNewNodesRegistered: false,
    unprotected: [],
    evictedInstead: [],
    retained: [],
    aborting: false,
    withdrawn: [],
    resumes: 0,
    now: startedAt,
    heardAt: startedAt,
    idleAt: undefined,
  };
  setHandlers(run);
  return run;
}
