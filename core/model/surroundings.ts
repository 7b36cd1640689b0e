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

/** A webhook that is asked before a pod is created. */
export interface WebhookFacts {
  /** Configuration and webhook, e.g. `ValidatingWebhookConfiguration policies, webhook pods.example.com`. */
  readonly key: string;
  /** Service that receives its calls, `namespace/name`. */
  readonly service: string;
  /** Pods are created without it when it does not answer (`failurePolicy: Ignore`). Absent when it must answer. */
  readonly failsOpen?: true;
}

/** A part of the API that pods of the cluster serve, such as the metrics of pods. */
export interface ApiServiceFacts {
  /** E.g. `APIService v1beta1.metrics.k8s.io`. */
  readonly key: string;
  /** Service that answers for it, `namespace/name`. */
  readonly service: string;
}

/** A group of nodes that a controller in the cluster adds and removes by itself. */
export interface ManagedNodesFacts {
  /** Name of the group. */
  readonly name: string;
  /** Label whose value is that name on its nodes. */
  readonly label: string;
  /** The controller may not remove any node of it, at any time and for any reason. */
  readonly frozen: boolean;
}
