import { type CleanupPlan, explainCleanupAction } from '../../core/cleanup/plan-cleanup.ts';
import { count } from '../../core/text/format.ts';
import type { Style } from '../output/style.ts';
import { fitWidth } from './wrap.ts';

/** Draws what runs have left over, and what becomes of it. */
export function renderCleanup(name: string, plan: CleanupPlan, style: Style): string[] {
  const { actions, stays, waits, loadBalancersUnread, leftAlone, settling } = plan;
  const lines = [
    explainLeft(name, plan),
    ...actions.map((action) => `  ${explainCleanupAction(action)}`),
    ...(loadBalancersUnread === undefined ? [] : [explainUnread(loadBalancersUnread)]),
    ...waits.map((what) => `waits: ${what}`),
    ...stays.map((what) => `stays: ${what}`),
    ...leftAlone.map((what) => `left alone: ${what}`),
    ...(settling
      ? ['unfinished: a ReplicaSet has yet to delete the pods that are too many; clean up again after that']
      : []),
  ];
  return fitWidth(lines, style);
}

function explainUnread(why: string): string {
  return (
    `unknown: load balancers could not be asked (${why}). Pods that they may send to wait. ` +
    'Give the credentials with which the cloud can be asked, or --evict-unasked: connections may be lost then'
  );
}

function explainLeft(name: string, { runs, actions, stays, waits, settling }: CleanupPlan): string {
  const of = runs.length === 0 ? '' : ` of ${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}`;
  if (actions.length > 0 || waits.length > 0 || settling) return `${name}: left${of}:`;
  return stays.length === 0
    ? `${name}: nothing${of} is left`
    : `${name}: nothing${of} is left over that can be removed; ${count(stays.length, 'thing')} that serve stay, see below`;
}
