import type { LabelSelectorFacts } from './label-selector.ts';

/** A controller that keeps a number of pods: what the pods of a Service are scaled to, and whether they are being exchanged. */
export interface WorkloadFacts {
  /** `Kind namespace/name`, e.g. `Deployment default/web`; pods name their workload by it. */
  readonly key: string;
  /** A ReplicaSet is a workload of its own only when no Deployment owns it. */
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet';
  readonly namespace: string;
  readonly name: string;
  /** Who owns it, e.g. `Rollout default/web`. Told of ReplicaSets that another controller than a Deployment keeps. */
  readonly keptBy?: string;
  /** Pods that it shall have now; of a DaemonSet, the nodes that it finds fit. */
  readonly replicas: number;
  /** Labels of the pods that it makes. */
  readonly podLabels: Readonly<Record<string, string>>;
  /** What pods without owner it takes for its own, whatever they are called. Told of DaemonSets, and of ReplicaSets without Deployment. */
  readonly takes?: LabelSelectorFacts;
  /** It exchanges its pods for those of another template right now, and is not paused. */
  readonly rollingOut: boolean;
  /** Why it has stopped half way in doing so, in its controller's words: nothing will change by itself. Told of Deployments only. */
  readonly stalled?: string;
  /** Pods beyond `replicas` that its own rollouts may start, 0 for strategy Recreate. Told of Deployments only. */
  readonly surge?: number;
  /** Why the API server does not let its pods be created or deleted, as its ReplicaSets' conditions ReplicaFailure say; absent when it does. */
  readonly refused?: string;
  /** Its owners have stopped it from exchanging pods. Told of Deployments only. */
  readonly paused?: boolean;
}
