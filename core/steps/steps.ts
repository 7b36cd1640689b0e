/** What the rest of nodeferry knows about the steps, derived from the two lists. */
import { columnsOf, deadlinesOf, type EvidenceColumn, evidenceOf, rulesOf, type StepLists } from './derive.ts';
import { type NodeStep, nodeSteps, type WrittenStep } from './node-steps.ts';
import { type PoolPhase, poolPhases, type WrittenPhase } from './pool-phases.ts';
import type { DeadlineSpec, PhaseSpec, RuleSpec, StepSpec, StepState } from './step-spec.ts';

/** The lists that nodeferry uses. */
export const stepLists: StepLists = { phases: poolPhases, steps: nodeSteps };

type Written = WrittenStep | WrittenPhase;
type Evidences = Extract<Written, { readonly evidence: unknown }>['evidence'][number];
type Deadlines = Extract<Written, { readonly deadlines: unknown }>['deadlines'][number];

/** A moment of a node's replacement that the report shows. */
export type EvidenceKind = Evidences['kind'];
/** A field of `spec.waits.deadlines`. */
export type DeadlineField = Deadlines['field'];
/** A rule that protects connections. */
export type ProtectiveRule = Extract<WrittenStep, { readonly rule: unknown }>['rule']['id'];
/** Reason of an Event that a Node gets. */
export type NodeEvent = Extract<WrittenStep, { readonly event: unknown }>['event'];
/** A step or phase that has an activity. */
type ActiveEntry = Extract<Written, { readonly activity: unknown }>;
/** Name of the activity of a step. */
export type ActivityOf<Id extends ActiveEntry['id']> = Extract<ActiveEntry, { readonly id: Id }>['activity'];
/** A step that the workflow of a node runs. */
export type TakenStep = Extract<WrittenStep, { readonly summary: unknown }>['id'];

/** Evidence in the order in which it is expected. */
export const evidenceKinds = evidenceOf(stepLists).map(({ kind }) => kind) as readonly EvidenceKind[];

/** Deadlines that a policy can set. */
export const deadlines = deadlinesOf(stepLists) as readonly (DeadlineSpec & { readonly field: DeadlineField })[];

/** Rules that a policy can switch off. */
export const protectiveRules = rulesOf(stepLists) as readonly (RuleSpec & { readonly id: ProtectiveRule })[];

/** Columns of the report's timeline. */
export const columns: readonly EvidenceColumn[] = columnsOf(stepLists);

/** The entry of a step. */
export function stepOf(id: NodeStep): StepSpec {
  return entryOf(nodeSteps, id);
}

/** The entry of a phase. */
export function phaseOf(id: PoolPhase): PhaseSpec {
  return entryOf(poolPhases, id);
}

/** The state of a node in this step. */
export function stateOfStep(id: NodeStep): StepState {
  return stepOf(id).state;
}

/** Whether the workflow of a node in this state has not started, or has ended. */
export function isAtRest(state: StepState): boolean {
  return state === 'pending' || state === 'replaced' || state === 'restored' || state === 'skipped';
}

/** Whether nothing is left to do about a node in this state. */
export function isDone(state: StepState): boolean {
  return state === 'replaced' || state === 'skipped';
}

/** Whether a node in this state is being restored, or has been. */
export function isGoingBack(state: StepState): boolean {
  return state === 'restoring' || state === 'restored';
}

/** How long a step may take, ms; undefined when it has no deadline. `times` are the deadlines of the policy. */
export function deadlineMsOf(id: NodeStep, times: Readonly<Record<`${DeadlineField}Ms`, number>>): number | undefined {
  const [own] = stepOf(id).deadlines ?? [];
  return own === undefined ? undefined : times[`${own.field as DeadlineField}Ms`];
}

function entryOf<Id extends string, T extends { readonly id: Id }>(entries: readonly T[], id: Id): T {
  const entry = entries.find((one) => one.id === id);
  if (entry === undefined) throw new Error(`no step is called ${id}`);
  return entry;
}
