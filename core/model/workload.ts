import type { LabelSelectorFacts } from './label-selector.ts';

/** A controller that maintains a number of pods, with its desired replicas and the state of its rollout. */
export interface WorkloadFacts {
  /** `Kind namespace/name`, e.g. `Deployment default/web`. Pods refer to their workload by it. */
  readonly key: string;
  /** A ReplicaSet is a workload only when no Deployment owns it. */
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet';
  readonly namespace: string;
  readonly name: string;
  /** The tool that writes it from a source of its own, e.g. `Helm`, as far as its labels and annotations say. */
  readonly writtenBy?: string;
  /** Its owner, e.g. `Rollout default/web`. Set for ReplicaSets that a controller other than a Deployment owns. */
  readonly keptBy?: string;
  /** Desired number of pods. For a DaemonSet, the number of nodes that should run its pod. */
  readonly replicas: number;
  /** Labels of the pods that it creates. */
  readonly podLabels: Readonly<Record<string, string>>;
  /** Selector of its pods, which never changes. Set for Deployments and StatefulSets. */
  readonly selector?: LabelSelectorFacts;
  /** Names of the containers in its pod template. Its pods have others too where a webhook adds them. Absent when it has no template. */
  readonly containers?: readonly string[];
  /** Selector of the pods without owner that it adopts. Set for DaemonSets, and for ReplicaSets without a Deployment. */
  readonly takes?: LabelSelectorFacts;
  /** A rollout is in progress, and is not paused. */
  readonly rollingOut: boolean;
  /** Why its rollout makes no progress, in the words of its controller. It needs an operator. Set for Deployments only. */
  readonly stalled?: string;
  /** How many pods above `replicas` its own rollouts may start. 0 for strategy Recreate. Set for Deployments only. */
  readonly surge?: number;
  /** How many pods its own rollouts may take away before others are available. All for strategy Recreate. Set for Deployments only. */
  readonly mayLack?: number;
  /** Seconds for which a new pod must be ready before a rollout goes on (`minReadySeconds`). Absent means 0. */
  readonly minReadySeconds?: number;
  /** Why the API server rejects the creation or deletion of its pods, from the condition ReplicaFailure of its ReplicaSets. Absent when there is no failure. */
  readonly refused?: string;
  /** Its rollout is paused (`spec.paused`). Set for Deployments only. */
  readonly paused?: boolean;
}
