/** What the nodes of a run look like to an operator: one row for each node, and one for nodes that are alike. */

import { explainBudget } from '../eviction/explain-budget.ts';
import type { StepState } from '../steps/step-spec.ts';
import { isGoingBack, stateOfStep, stepOf } from '../steps/steps.ts';
import { formatTime } from '../text/format.ts';
import { because } from './because.ts';
import type { BlockedSince } from './blocked.ts';
import type { Line, Tone } from './line.ts';
import type { NodeStatus } from './status.ts';

/** Nodes that are at the same step for the same reason. */
export interface NodeRow {
  readonly names: readonly string[];
  /** Zone of a single node. */
  readonly zone: string | undefined;
  /** Their step, in words. */
  readonly step: string;
  readonly state: StepState;
  readonly tone: Tone;
  /** Since when they wait, and until when, epoch ms. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** What is waited for; a word where sentences explain it. */
  readonly reason: string;
  /** Only when something is blocked or stalled: cause, fix, and what blocks it. */
  readonly sentences: readonly Line[];
}

const tones: Readonly<Record<StepState, Tone>> = {
  pending: 'dim',
  'in-progress': 'busy',
  replaced: 'good',
  restoring: 'warn',
  restored: 'warn',
  skipped: 'warn',
  stalled: 'bad',
};

/** Rows in the order of the nodes. A group is listed at the place of its first node. */
export function describeNodes(nodes: readonly NodeStatus[]): readonly NodeRow[] {
  const groups = new Map<string, NodeRow>();
  for (const node of nodes) {
    const row = describeNode(node);
    const { names: _names, zone: _zone, ...same } = row;
    const key = JSON.stringify(same);
    const group = groups.get(key);
    groups.set(key, group === undefined ? row : { ...group, names: [...group.names, ...row.names], zone: undefined });
  }
  return [...groups.values()];
}

/** One node by itself. */
export function describeNode(node: NodeStatus): NodeRow {
  const { step, waiting } = node;
  const state = isStalled(node) ? 'stalled' : stateOfStep(step);
  return {
    names: [node.node.name],
    zone: node.node.zone,
    step: stepOf(step).label,
    state,
    tone: tones[state],
    since: waiting?.since,
    until: waiting?.until,
    reason: reasonOf(node),
    sentences: sentencesOf(node),
  };
}

function isStalled({ step, problem }: NodeStatus): boolean {
  return stateOfStep(step) === 'stalled' || problem !== undefined;
}

function isBeingRestored({ step }: NodeStatus): boolean {
  return isGoingBack(stateOfStep(step));
}

function reasonOf(node: NodeStatus): string {
  const { problem, waiting, evidence, step } = node;
  if (problem !== undefined) return problem.code;
  if (isBlocked(node)) return 'blocked';
  if (waiting !== undefined) return waiting.for;
  const last = evidence.at(-1);
  // All nodes that are done are alike.
  return last === undefined || stateOfStep(step) !== 'in-progress' ? '' : `${last.kind}: ${last.detail}`;
}

function sentencesOf(node: NodeStatus): readonly Line[] {
  const { problem, waiting, restoredBecause, skipped } = node;
  const lines: Line[] = [];
  if (skipped !== undefined && stateOfStep(node.step) !== 'replaced')
    lines.push({ tone: 'warn', text: `skipped by ${because(skipped)}` });
  else if (restoredBecause !== undefined && isBeingRestored(node))
    lines.push({ tone: 'warn', text: `restored because ${restoredBecause}` });
  if (problem !== undefined) {
    lines.push({ tone: 'bad', text: problem.message });
    if (problem.hint !== undefined) lines.push({ tone: undefined, text: `fix: ${problem.hint}` });
  }
  if (waiting !== undefined && (problem !== undefined || isBlocked(node)))
    lines.push({ tone: 'dim', text: `waits for ${waiting.for}` });
  for (const one of waiting?.blocked ?? []) lines.push({ tone: 'warn', text: explainBlocked(one) });
  if (waiting?.action !== undefined) lines.push({ tone: undefined, text: `action: ${waiting.action}` });
  return lines;
}

function isBlocked({ waiting }: NodeStatus): boolean {
  return (waiting?.blocked ?? []).length > 0;
}

function explainBlocked(blocked: BlockedSince): string {
  const { pod, budget, reason, since } = blocked;
  const cause = budget === undefined ? reason : `pdb ${budget} ${explainBudget(blocked).says}`;
  return `pod ${pod} blocked since ${formatTime(since)}: ${cause}`;
}
