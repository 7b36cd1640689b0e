import type { LabelSelectorFacts } from './label-selector.ts';

/** What a policy that filters the traffic of pods looks at. */
export interface NetworkPolicyFacts {
  /** Kind and name, e.g. `NetworkPolicy default/web`. */
  readonly key: string;
  /** Every selector of pods in it: those that it is about, and those that they may talk to. */
  readonly selectors: readonly PodSelectorFacts[];
}

/** A selector of pods. */
export interface PodSelectorFacts {
  /** Where the pods are; absent where it may be anywhere. */
  readonly namespace?: string;
  readonly labels: LabelSelectorFacts;
}
