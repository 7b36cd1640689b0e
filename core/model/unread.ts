/** Something about the cluster that our role does not let us read, and that we can do without. */
export interface UnreadFacts {
  /** As the API names it: `networkpolicies.networking.k8s.io`. */
  readonly resource: string;
  /** What would let us. */
  readonly hint: string;
}
