/** Nodes that an operator has the run skip: they are not replaced, and stay in the old pool. */
import type { NodeRef } from '../model/node.ts';
import { isInPlace } from '../policy/members.ts';
import { because } from '../status/because.ts';
import type { NodeStatus } from '../status/status.ts';
import { listNames } from '../text/format.ts';
import { audit } from './audit.ts';
import type { EventOf } from './events.ts';
import { changeNode, skippedOf, statusOfNamed, stepOf } from './nodes.ts';
import { clearStalled } from './stalled.ts';
import type { RunState } from './state.ts';

/** Which node is to be skipped, and why. */
interface SkipQuestion {
  readonly node?: string | undefined;
  readonly reason: string;
}

/** Why a node can't be skipped, as text; undefined when it can. Of a node in progress only its own workflow knows whether it is too late. */
export function whyNotSkip(state: RunState, { node: name = '', reason }: SkipQuestion): string | undefined {
  const { phase } = state.status;
  if (reason.trim() === '') return 'it needs a reason';
  if (state.status.drain !== undefined)
    return 'a drain is aborted instead, which restores its nodes; then drain the others';
  if (state.status.rollback !== undefined)
    return 'the run is being rolled back, and keeps every node that has not been replaced';
  if (state.isRollingBack) return 'the run is being aborted, and keeps every node that has not been replaced';
  if (phase === 'preflight') return 'the run has not begun, and may still plan anew';
  if (phase === 'finalize') return 'every node has been replaced or skipped';
  const seen = statusOfNamed(state, name);
  if (seen === undefined) return `the run has no node ${name}`;
  if (seen.step === 'replaced') return `${name} has been replaced, and its instance is terminated`;
  return seen.skipped === undefined ? undefined : `${name} was skipped already by ${because(seen.skipped)}`;
}

/** The node is skipped. One in progress is restored by its workflow first. */
export function skip(state: RunState, event: EventOf<'skip'>): RunState {
  const { node: name, by, reason, at } = event;
  const seen = statusOfNamed(state, name);
  if (seen === undefined || seen.step === 'replaced' || seen.skipped !== undefined) return state;
  const audited = audit(clearStalled(state, { name }), 'skip', event, name);
  const isIdle = state.inProgress[name] === undefined;
  return changeNode(audited, name, { skipped: { by, reason, at }, ...(isIdle ? { step: 'skipped' } : {}) });
}

/** Skipped nodes are uncordoned: pods may come to them again. */
export function recordUncordoned(state: RunState, { nodes }: EventOf<'recordUncordoned'>): RunState {
  return { ...state, uncordoned: [...state.uncordoned, ...nodes.map(({ uid }) => uid)] };
}

/** Skipped nodes that are still cordoned. */
export function cordonedOf(state: RunState): readonly NodeRef[] {
  return skippedOf(state).flatMap(({ node }) => (state.uncordoned.includes(node.uid) ? [] : [node]));
}

/** Why the old pool stays, and how the skipped nodes can be replaced later, as text. Empty when no node was skipped. */
export function explainKept(state: RunState): readonly string[] {
  const skipped = skippedOf(state);
  if (skipped.length === 0) return [];
  const { pool, newPool } = state.status;
  const { plan } = state;
  const isInOtherPool = plan !== undefined && !isInPlace(plan.policy);
  const isNewPoolKept = isInOtherPool && plan.nodes.some((node) => stepOf(state, node) === 'replaced');
  const how = isNewPoolKept
    ? `start another upgrade of ${pool} with another spec.target.poolName: no run uses ${newPool}, which exists by then`
    : `start another upgrade of ${pool}`;
  return [`${pool} keeps ${skipped.map(explainSkipped).join('; ')}. To replace ${namesOf(skipped)}: ${how}`];
}

function explainSkipped({ node, skipped }: NodeStatus): string {
  return `${node.name}${skipped === undefined ? '' : ` (skipped by ${because(skipped)})`}`;
}

function namesOf(skipped: readonly NodeStatus[]): string {
  return listNames(skipped.map(({ node }) => node.name));
}
