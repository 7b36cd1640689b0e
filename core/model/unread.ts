/** A resource that the role of the worker may not read, and that it can do without. */
export interface UnreadFacts {
  /** Its name in the API, e.g. `networkpolicies.networking.k8s.io`. */
  readonly resource: string;
  /** What gives access to it. */
  readonly hint: string;
}
