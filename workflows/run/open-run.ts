import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { listUnprotected } from '../../core/policy/switched-off.ts';
import type { TrafficCounts } from '../../core/status/status.ts';
import type { PoolUpgradeInput } from '../messages.ts';
import { setHandlers } from './handlers.ts';
import type { Run } from './run.ts';

const noTraffic: TrafficCounts = { sent: 0, lost: 0, slow: 0 };

/** Opens a run: its status, and its handlers before anything else can happen. */
export function openRun(input: PoolUpgradeInput): Run {
  const { policy } = input;
  const startedAt = Date.now();
  const run: Run = {
    input,
    status: {
      run: input.run,
      workflowId: workflowInfo().workflowId,
      cluster: policy.cluster.name,
      pool: policy.pool.name,
      newPool: policy.target.poolName,
      fromVersion: '',
      toVersion: policy.target.version ?? '',
      phase: 'preflight',
      startedAt,
      finishedAt: undefined,
      paused: undefined,
      needsAttention: undefined,
      waiting: undefined,
      nodes: [],
      traffic: noTraffic,
      probes: policy.traffic.probes.length,
      disabledRules: listUnprotected(policy),
      foreignActs: [],
      actions: [{ action: 'start', by: input.by, reason: input.reason, at: startedAt }],
    },
    ledger: [],
    forward: new CancellationScope(),
    children: {},
    parked: {},
    rounds: {},
    baselines: [],
    isAsking: false,
    plan: undefined,
    lock: undefined,
    watch: undefined,
    newNodes: [],
    asked: [],
    areNewNodesRegistered: false,
    notProtected: [],
    keptOnPurpose: [],
    aborting: false,
    withdrawn: [],
    resumes: 0,
    now: startedAt,
    doneAt: undefined,
  };
  setHandlers(run);
  return run;
}
