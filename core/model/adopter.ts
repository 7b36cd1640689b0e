import type { LabelSelectorFacts } from './label-selector.ts';

/** A controller of a kind that is not modelled as a workload, and that adopts the pods without owner that it selects. */
export interface AdopterFacts {
  /** Kind and name, e.g. `ReplicationController default/web`. */
  readonly key: string;
  readonly namespace: string;
  readonly takes: LabelSelectorFacts;
}
