import type { Policy } from '../policy/policy.ts';
import { listUnprotected } from '../policy/zeroed.ts';
import type { RunStatus } from './status.ts';

/** What a run is begun with. */
interface Beginning {
  readonly run: string;
  readonly workflowId: string;
  readonly policy: Policy;
  readonly by: string;
  readonly reason: string;
  /** Epoch ms. */
  readonly startedAt: number;
}

/** A run's status before its first step. */
export function beginStatus({ run, workflowId, policy, by, reason, startedAt }: Beginning): RunStatus {
  return {
    run,
    workflowId,
    cluster: policy.cluster.name,
    pool: policy.pool.name,
    newPool: policy.target.poolName,
    ...(policy.selection === undefined ? {} : { drain: policy.selection.terminate ? 'terminate' : 'keep' }),
    fromVersion: '',
    toVersion: policy.target.version ?? '',
    phase: 'preflight',
    startedAt,
    finishedAt: undefined,
    paused: undefined,
    stalled: undefined,
    waiting: undefined,
    nodes: [],
    traffic: { sent: 0, lost: 0, slow: 0 },
    probes: policy.traffic.probes.length,
    disabledRules: listUnprotected(policy),
    externalChanges: [],
    actions: [{ action: 'start', by, reason, at: startedAt }],
  };
}
