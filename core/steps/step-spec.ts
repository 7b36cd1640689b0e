/** What an entry of the two lists of steps says: everything that names a step anywhere is derived from its entry. */

/** A deadline of the policy, as a field of `spec.waits.deadlines`. */
export interface DeadlineSpec {
  readonly field: string;
  /** Written duration, e.g. `15m`. */
  readonly fallback: string;
  /** What has come about in time, as a sentence. */
  readonly description: string;
}

/** A moment that is observed, and the column of the report that shows when. */
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

/** What both kinds of entries say. */
interface CommonSpec {
  readonly id: string;
  /** For people, in a word or two. */
  readonly label: string;
  /** What nodeferry does, for the documentation; empty where it only observes. */
  readonly does: string;
  /** What ends the step, for the documentation. */
  readonly waitsFor: string;
  /** Name of the activity; none where the step only says where a node or a run is. */
  readonly activity?: string;
  /** The first is the step's own; the others end waits inside it. A deadline that two steps share is the same object. */
  readonly deadlines?: readonly DeadlineSpec[];
  /** What is observed in the step, in this order. */
  readonly evidence?: readonly EvidenceSpec[];
  /** Whether an abort still leads back from here. */
  readonly reversible: boolean;
}

/** A phase of a pool upgrade. */
export interface PhaseSpec extends CommonSpec {
  /** The run has ended. */
  readonly isFinal?: boolean;
}

/** Where a node is that has come to a step: before, in or after its replacement, being restored, or waiting for an operator. */
export type StepState = 'pending' | 'in-progress' | 'replaced' | 'restoring' | 'restored' | 'stalled';

/** A step of a node's replacement. */
export interface StepSpec extends CommonSpec {
  readonly state: StepState;
  /** Label of the activity in the timeline of the Temporal UI. */
  readonly summary?: string;
  /** Reason of the Kubernetes Event that the Node gets. */
  readonly event?: string;
  readonly rule?: RuleSpec;
  /** No pod has been told to stop yet, so that a run that pauses for losses has the node restored. */
  readonly recallable?: boolean;
}
