import type { LabelSelectorFacts } from './label-selector.ts';

/** The pods to which a network policy refers. */
export interface NetworkPolicyFacts {
  /** Kind and name, e.g. `NetworkPolicy default/web`. */
  readonly key: string;
  /** Every pod selector in it: of the pods to which it applies, and of their allowed peers. */
  readonly selectors: readonly PodSelectorFacts[];
}

/** A selector of pods. */
export interface PodSelectorFacts {
  /** Namespace of the pods. Absent when they may be in any namespace. */
  readonly namespace?: string;
  readonly labels: LabelSelectorFacts;
}
