/** A volume that is bound to one node, and is lost with it. */
export interface LocalVolumeFacts {
  /** PersistentVolumeClaim to which it is bound, `namespace/name`. */
  readonly volumeClaim: string;
  /** Name of the PersistentVolume. */
  readonly volume: string;
  /** Node label in its node affinity that binds it to one node. */
  readonly boundBy: string;
}

/** An autoscaler that changes the requests of pods when they are created. */
export interface ResizerFacts {
  /** Kind and name, e.g. `VerticalPodAutoscaler default/web`. */
  readonly key: string;
  /** Key of the workload whose pods it resizes. */
  readonly workload: string;
}

/** A webhook that must answer before a pod can be created. */
export interface WebhookFacts {
  /** Configuration and webhook, e.g. `ValidatingWebhookConfiguration policies, webhook pods.example.com`. */
  readonly key: string;
  /** Service that receives its calls, `namespace/name`. */
  readonly service: string;
}
