/** The old pool of a run that is rolled back: which instances it lacks, and when it serves at its size again. */
import type { PoolPlan } from '../plan/pool-plan.ts';
import { isInPlace, keepsTarget } from '../policy/members.ts';
import type { EventOf } from './events.ts';
import { mustRollBack } from './rollback.ts';
import type { RunState } from './state.ts';

/** How many nodes of the plan have been replaced, and their instances terminated: one that was created again under its name is still in the pool. */
export function countReplaced({ status }: RunState, plan: PoolPlan): number {
  const old = new Set(plan.nodes.map(({ uid }) => uid));
  return status.nodes.filter(
    ({ node, step, evidence }) =>
      old.has(node.uid) && step === 'replaced' && evidence.some(({ kind }) => kind === 'terminated'),
  ).length;
}

/** Instances of nodes that the run knows and has not removed. An instance of the old pool that is not among them has come for a rollback. */
export function knownInstances({ status }: RunState): readonly string[] {
  return status.nodes.filter(({ step }) => step !== 'replaced').map(({ node }) => node.instanceId);
}

/** Instances that the run has seen as nodes, old ones and new ones. */
export function joinedInstances({ status, newNodes }: RunState): readonly string[] {
  return [...new Set([...status.nodes.map(({ node }) => node), ...newNodes].map(({ instanceId }) => instanceId))];
}

/** What a rollback leaves in a target pool that existed before the run, as text; empty when nothing. */
export function explainFound({ status }: RunState, { policy, newPool }: PoolPlan): readonly string[] {
  if (status.rollback === undefined || !keepsTarget(policy)) return [];
  return [
    `${newPool.name} keeps the nodes that it had before the run, and the pods on them; nodeferry drain moves these pods`,
  ];
}

/** Additional instances of the old pool were requested. When the request is repeated, they count once. */
export function requestOldNodes(state: RunState, { instances }: EventOf<'requestOldNodes'>): RunState {
  if (state.oldPool === 'requested') return state;
  return { ...state, oldPool: 'requested', requestedOld: [...state.requestedOld, { at: state.now, instances }] };
}

/** The old pool serves at its size: from now on the new nodes leave. */
export function restoreOldPool(state: RunState, { nodes }: EventOf<'restoreOldPool'>): RunState {
  const { rollback } = state.status;
  const restored: RunState = { ...state, oldPool: 'restored' };
  if (rollback === undefined || nodes.length === 0) return restored;
  return { ...restored, status: { ...restored.status, rollback: { ...rollback, nodes } } };
}

/** Why the run can't be rolled back to its old pool now; undefined when it can. */
export function whyNoRollback(state: RunState): string | undefined {
  const { plan } = state;
  const { phase, rollback, drain } = state.status;
  if (drain !== undefined) return 'a drain replaces no pool: an abort restores its nodes';
  if (plan !== undefined && isInPlace(plan.policy))
    return `${plan.oldPool.name} is replaced in place: abort the run, which keeps the old nodes that are left, or replace it again with its version before`;
  if (rollback !== undefined) return 'it is being rolled back already';
  if (phase === 'finalize')
    return 'every node has been replaced, and the old pool is being deleted: once the run has ended, upgrade to a pool of the version before';
  if (state.isRollingBack && !mustRollBack(state, 'new-pool'))
    return 'it is being aborted, and has finished with the new nodes';
  return undefined;
}

/** Why the run can't be aborted now; undefined when it can. A rollback can, until the old pool has its size again. */
export function whyNoAbort({ isRollingBack, oldPool, status: { phase, rollback } }: RunState): string | undefined {
  if (phase === 'finalize') return 'every node has been replaced or skipped; there is nothing to go back to';
  if (!isRollingBack) return undefined;
  if (rollback === undefined) return 'it is being aborted already';
  return oldPool === 'restored' ? 'it is being rolled back, and the old pool has its size again' : undefined;
}
