/** How many pods more a namespace may have. */
export interface QuotaFacts {
  /** Kind and name, e.g. `ResourceQuota default/pods`. */
  readonly key: string;
  readonly namespace: string;
  readonly podsLeft: number;
}
