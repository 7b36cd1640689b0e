import type { PoolPlan } from '../../../core/plan/pool-plan.ts';
import type { NodeEnd, RunEvent } from '../../../core/run/events.ts';
import { reduce } from '../../../core/run/reduce.ts';
import { openState, type RunState } from '../../../core/run/state.ts';
import { beginStatus } from '../../../core/status/begin-status.ts';
import type { NodeStatus } from '../../../core/status/status.ts';
import { tokenOf } from '../../support/suspension.ts';
import { aNode, aPolicy, nodeRefOf } from '../support/facts.ts';
import type { NodeRef } from '../support/model.ts';

/** When every run of these tests begins, epoch ms. */
export const begun = Date.UTC(2026, 0, 5, 9, 0, 0);

export const node = (name: string, uid = `uid-${name}`): NodeRef => ({ ...nodeRefOf(aNode(name)), uid });

/** Three old nodes of a pool. */
export const oldNodes = [node('n1'), node('n2'), node('n3')];

export const pool = { cluster: 'c', region: 'eu-west-1', provider: 'eks', name: 'web' };

export const aPlan = (nodes: readonly NodeRef[] = oldNodes): PoolPlan => ({
  run: 'r1',
  policy: aPolicy(),
  oldPool: pool,
  newPool: { ...pool, name: 'web-1-34' },
  fromVersion: '1.33',
  toVersion: '1.34',
  nodes,
  surge: nodes.length,
  services: [],
  baselines: [],
  findings: [],
  estimate: { totalMs: 0, terms: [] },
});

/** A run before its first event. */
export function aRun(): RunState {
  const policy = aPolicy();
  const beginning = { run: 'r1', workflowId: 'pool-upgrade/c/web', policy, by: 'ada', reason: 'CVE', startedAt: begun };
  return freeze(openState(beginStatus(beginning)));
}

/** The state of a run after these events. The states in between are frozen: code that changes one fails. */
export function play(state: RunState, ...events: readonly RunEvent[]): RunState {
  return events.reduce((before, event) => freeze(reduce(before, freeze(event))), state);
}

/** Preflight, lock, surge, cordon: nodes may be excluded. */
export const upToReplace: readonly RunEvent[] = [
  { type: 'recordPlan', plan: aPlan(), since: begun, at: begun + 1_000, clock: begun },
  { type: 'setPhase', phase: 'lock' },
  { type: 'pushRollback', entry: { kind: 'lock' } },
  { type: 'recordLock', lock: { name: 'nodeferry-c-web', holder: 'r1', token: 1 } },
  { type: 'pushRollback', entry: { kind: 'monitor' } },
  { type: 'startMonitor', isMeasuring: true },
  { type: 'pushRollback', entry: { kind: 'scaling', pool } },
  { type: 'recordSuspended', pool, suspended: tokenOf('AZRebalance') },
  { type: 'setPhase', phase: 'node-surge' },
  { type: 'pushRollback', entry: { kind: 'new-pool' } },
  { type: 'requestSize', size: 3 },
  { type: 'setPhase', phase: 'nodes-ready' },
  { type: 'recordNewNodes', nodes: [node('f1'), node('f2'), node('f3')], areRegistered: true },
  { type: 'setPhase', phase: 'cordon' },
  { type: 'pushRollback', entry: { kind: 'cordons', nodes: oldNodes } },
  { type: 'setPhase', phase: 'replace' },
];

export const start = (ref: NodeRef): RunEvent => ({
  type: 'startNode',
  node: ref,
  workflowId: `node-replacement/${ref.name}`,
  evidence: [{ kind: 'excluded', at: begun + 60_000, detail: 'label' }],
});

/** The result of a node's workflow. */
export function answered(ref: NodeRef, step: NodeStatus['step'], changes: Partial<NodeStatus> = {}): NodeEnd {
  const evidence = [{ kind: 'terminated', at: begun + 120_000, detail: ref.instanceId }] as const;
  return { kind: 'answered', status: { node: ref, step, waiting: undefined, evidence, ...changes } };
}

export function end(ref: NodeRef, how: NodeEnd, changes: { isCancelled?: boolean; resumes?: number } = {}): RunEvent {
  return { type: 'endNode', name: ref.name, end: how, isCancelled: false, resumes: 0, clock: begun, ...changes };
}

/** A node starts, and has been replaced. */
export const replace = (ref: NodeRef): readonly RunEvent[] => [start(ref), end(ref, answered(ref, 'replaced'))];

/** The steps of all nodes, in order. */
export const stepsOf = ({ status }: RunState): readonly string[] => status.nodes.map(({ step }) => step);

/** The same value, frozen: code that changes it fails. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
