import type { NodeStatus, RunStatus } from '../../core/status/status.ts';

/** Start of every run in the tests of views: 2026-01-02T03:04:05Z. */
export const startedAt = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A run in the middle of its work, to be changed where a test needs it. */
export function aRun(changes: Partial<RunStatus> = {}): RunStatus {
  return {
    run: 'run-1',
    workflowId: 'pool-upgrade/prod/web',
    cluster: 'prod',
    pool: 'web',
    newPool: 'web-1-36',
    fromVersion: '1.35.9',
    toVersion: '1.36.3',
    phase: 'replace',
    startedAt,
    finishedAt: undefined,
    paused: undefined,
    stalled: undefined,
    waiting: undefined,
    nodes: [],
    traffic: { sent: 0, lost: 0, slow: 0 },
    probes: 1,
    disabledRules: [],
    actions: [{ action: 'start', by: 'ann', reason: 'CVE', at: startedAt }],
    externalChanges: [],
    ...changes,
  };
}

/** A node of such a run. */
export function aNode(name: string, changes: Partial<NodeStatus> = {}): NodeStatus {
  return {
    node: { name, uid: `uid-${name}`, instanceId: `i-${name}`, zone: 'eu-west-1a' },
    step: 'pending',
    waiting: undefined,
    evidence: [],
    ...changes,
  };
}
