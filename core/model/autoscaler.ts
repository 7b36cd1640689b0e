/** An autoscaler that counts pods in a way that pod surge would disturb. */
export interface AutoscalerFacts {
  /** Kind and name, e.g. `HorizontalPodAutoscaler default/web`. */
  readonly key: string;
  /** Key of the workload that it scales. */
  readonly workload: string;
  /** The reason, as text for a message. */
  readonly counts: string;
}
