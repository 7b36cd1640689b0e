/** Values derived from lists of steps, in the order of their entries. */
import type { ColumnSpec, DeadlineSpec, EvidenceSpec, PhaseSpec, RuleSpec, StepSpec } from './step-spec.ts';

/** The two lists. */
export interface StepLists {
  readonly phases: readonly PhaseSpec[];
  readonly steps: readonly StepSpec[];
}

/** Deadlines that a policy can set, each once. */
export function deadlinesOf({ phases, steps }: StepLists): readonly DeadlineSpec[] {
  return [...new Set([...phases, ...steps].flatMap(({ deadlines = [] }) => deadlines))];
}

/** Evidence in the order in which it is expected. */
export function evidenceOf({ phases, steps }: StepLists): readonly EvidenceSpec[] {
  return [...phases, ...steps].flatMap(({ evidence = [] }) => evidence);
}

/** A column of the report, with the evidence that it shows. */
export type EvidenceColumn = ColumnSpec & { readonly kind: string };

/** All columns of the report's timeline, optional ones included. */
export function columnsOf(lists: StepLists): readonly EvidenceColumn[] {
  return evidenceOf(lists).flatMap(({ kind, column }) => (column === undefined ? [] : [{ kind, ...column }]));
}

/** Rules that a policy can switch off. */
export function rulesOf({ steps }: Pick<StepLists, 'steps'>): readonly RuleSpec[] {
  return steps.flatMap(({ rule }) => rule ?? []);
}
