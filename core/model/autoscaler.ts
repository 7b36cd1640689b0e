/** An autoscaler that counts pods in a way that a hand-over upsets. */
export interface AutoscalerFacts {
  /** Kind and name, e.g. `HorizontalPodAutoscaler default/web`. */
  readonly key: string;
  /** Key of the workload that it scales. */
  readonly workload: string;
  /** Why, in words. */
  readonly counts: string;
}
