/** The entries of the two lists of steps. Everything elsewhere that names a step is derived from its entry. */

/** A deadline of the policy, as a field of `spec.waits.deadlines`. */
export interface DeadlineSpec {
  readonly field: string;
  /** The default as a duration, e.g. `15m`. */
  readonly fallback: string;
  /** What has to happen in this time, as a sentence. */
  readonly description: string;
}

/** A moment that is observed, and the column of the report that shows its time. */
export interface EvidenceSpec {
  readonly kind: string;
  readonly column?: ColumnSpec;
}

/** A column of the report's timeline. */
export interface ColumnSpec {
  readonly title: string;
  /** Left out of reports in which no node has this evidence. */
  readonly onlyWhenSeen?: boolean;
}

/** A rule that protects connections; a policy can switch it off to show what it is for. */
export interface RuleSpec {
  readonly id: string;
  /** What happens without it. */
  readonly without: string;
}

/** The fields that both kinds of entries have. */
interface CommonSpec {
  readonly id: string;
  /** For people, in a word or two. */
  readonly label: string;
  /** What nodeferry does, for the documentation; empty where it only observes. */
  readonly does: string;
  /** What ends the step, for the documentation. */
  readonly waitsFor: string;
  /** Name of the activity; absent when the step is only a state of a node or a run. */
  readonly activity?: string;
  /** The first limits the whole step; the others limit single waits inside it. Two steps that share a deadline share the object. */
  readonly deadlines?: readonly DeadlineSpec[];
  /** What is observed in the step, in this order. */
  readonly evidence?: readonly EvidenceSpec[];
  /** Whether an abort can still roll back from here. */
  readonly reversible: boolean;
}

/** A phase of a pool upgrade. */
export interface PhaseSpec extends CommonSpec {
  /** The run has ended. */
  readonly isFinal?: boolean;
}

/** State of a node in a step: before, during or after its replacement, being restored, not to be replaced, or waiting for an operator. */
export type StepState = 'pending' | 'in-progress' | 'replaced' | 'restoring' | 'restored' | 'skipped' | 'stalled';

/** A step of a node's replacement. */
export interface StepSpec extends CommonSpec {
  readonly state: StepState;
  /** Label of the activity in the timeline of the Temporal UI. */
  readonly summary?: string;
  /** Reason of the Kubernetes Event that the Node gets. */
  readonly event?: string;
  readonly rule?: RuleSpec;
  /** No pod has been told to stop yet, so a run that pauses because of lost requests restores the node. */
  readonly recallable?: boolean;
}
