/** A volume that is on one node, and goes with it. */
export interface LocalVolumeFacts {
  /** Claim that it is bound to, `namespace/name`. */
  readonly volumeClaim: string;
  /** Name of the PersistentVolume. */
  readonly volume: string;
  /** Label of nodes by which it is bound to one. */
  readonly boundBy: string;
}

/** An autoscaler that gives pods other requests when they are created. */
export interface ResizerFacts {
  /** Kind and name, e.g. `VerticalPodAutoscaler default/web`. */
  readonly key: string;
  /** Key of the workload whose pods it resizes. */
  readonly workload: string;
}

/** A webhook without whose word no pod can be created. */
export interface WebhookFacts {
  /** Configuration and webhook, e.g. `ValidatingWebhookConfiguration policies, webhook pods.example.com`. */
  readonly key: string;
  /** Service that is asked, `namespace/name`. */
  readonly service: string;
}
