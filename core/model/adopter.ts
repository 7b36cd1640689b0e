import type { LabelSelectorFacts } from './label-selector.ts';

/** A controller that is no workload of ours, and takes pods without owner that it selects. */
export interface AdopterFacts {
  /** Kind and name, e.g. `ReplicationController default/web`. */
  readonly key: string;
  readonly namespace: string;
  readonly takes: LabelSelectorFacts;
}
