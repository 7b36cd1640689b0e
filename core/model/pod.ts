import type { LabelSelectorFacts } from './label-selector.ts';
import type { TaintFacts } from './node.ts';
import type { ContainerNeeds } from './quota.ts';

/** Label by which the ReplicaSets of a Deployment tell their pods apart (Kubernetes docs, "Deployments", Pod-template-hash label). */
export const templateLabel = 'pod-template-hash';

/** Kind of the controller that owns a pod; `Node` stands for static (mirror) pods, `none` for bare pods. */
export type PodOwnerKind = 'ReplicaSet' | 'StatefulSet' | 'DaemonSet' | 'Job' | 'Node' | 'none' | 'other';

/** A toleration, as Kubernetes spells it. */
export interface TolerationFacts {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: TaintFacts['effect'];
}

/** What the cluster says of one pod. */
export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Node it is bound to; undefined while it waits for one. */
  readonly node: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly ownerKind: PodOwnerKind;
  /** Controller's name, e.g. the ReplicaSet's; empty for bare pods. */
  readonly ownerName: string;
  /** Controller's UID; absent for bare pods. */
  readonly ownerUid?: string;
  /** Key of the workload that keeps it, e.g. `Deployment default/web`; absent for bare pods and for controllers that are not known. */
  readonly workload?: string;
  /** Label selector of the owning ReplicaSet (matchLabels), when that is the owner. */
  readonly ownerSelector?: Readonly<Record<string, string>>;
  /** Pods that the owning ReplicaSet shall have now; absent when that is not the owner, or is not there any more. */
  readonly ownerWants?: number;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly ready: boolean;
  /** Since when (epoch ms) it is not ready, by its Ready condition; absent when it is, and where that does not say. */
  readonly unreadySince?: number;
  /** True once it has a deletion timestamp. */
  readonly terminating: boolean;
  /** Time (epoch ms) at which the kubelet kills it, its grace period included: the deletion timestamp. Only while it terminates. */
  readonly killedAt?: number;
  readonly mirror: boolean;
  readonly hostNetwork: boolean;
  readonly hasEmptyDir: boolean;
  /** Seconds that a preStop `sleep` hook or policy guarantees the pod keeps serving after deletion; 0 without one. */
  readonly preStopSeconds: number;
  readonly terminationGracePeriodSeconds: number;
  readonly tolerations: readonly TolerationFacts[];
  /** Labels that its node must have, with the values that are allowed; absent when it may run anywhere. */
  readonly requiredNodeLabels?: Readonly<Record<string, readonly string[]>>;
  /** Topology keys of required anti-affinity that keeps pods like itself away, owned or released; absent when nothing does. */
  readonly keepsApartBy?: readonly string[];
  /** Pods that it must run beside: its required affinity; absent when it has none. */
  readonly besides?: readonly BesideFacts[];
  /** Constraints by which the scheduler spreads it among pods like itself; absent when it has none. */
  readonly spreads?: readonly SpreadFacts[];
  /** Why the scheduler can't place it, from the PodScheduled condition. */
  readonly unschedulableReason?: string;
  /** `spec.priority`, which its priority class gives it; 0 when absent. */
  readonly priority?: number;
  /** Name of its priority class; absent when it has none. */
  readonly priorityClass?: string;
  /** What its containers ask for; absent where none asks for anything. */
  readonly needs?: readonly ContainerNeeds[];
  /** What keeps its object once it is deleted; absent when nothing does. */
  readonly finalizers?: readonly string[];
  /** The kubelet has told that none of its containers runs, and none will while it terminates. */
  readonly stopped?: boolean;
  /** The controller that it names does not exist any more. Told of DaemonSet pods only. */
  readonly orphaned?: boolean;
  /** Annotation `cluster-autoscaler.kubernetes.io/safe-to-evict`, when it has one of the values that mean something. */
  readonly safeToEvict?: 'true' | 'false' | 'on-completion';
  /** Annotation `karpenter.sh/do-not-disrupt`: for good, or until then (epoch ms). */
  readonly doNotDisrupt?: 'for-good' | number;
  /** Names of the PersistentVolumeClaims, in its namespace, that it uses; absent when it uses none. */
  readonly volumeClaims?: readonly string[];
  /** Those of them that were made for it alone: a replacement gets its own. */
  readonly ownVolumeClaims?: readonly string[];
  /** Run that took the pod out of its Services' endpoints, with the labels it had before. */
  readonly endpointsRemoved?: { readonly by: string; readonly originalLabels: Readonly<Record<string, string>> };
  /** Run that let the pod go from its ReplicaSet, so that a replacement starts while it serves on. */
  readonly released?: ReleasedFacts;
  /** Run that raised its deletion cost, so that its ReplicaSet takes other pods first. */
  readonly costRaisedBy?: string;
}

/** A term of required pod affinity. */
export interface BesideFacts {
  /** Label of nodes: a pod that the selector matches must run on a node with the same value. */
  readonly topologyKey: string;
  readonly selector: LabelSelectorFacts;
  /** Namespaces of those pods; absent where they may be in any. */
  readonly namespaces?: readonly string[];
}

/** A topology spread constraint of a pod that counts pods like itself. */
export interface SpreadFacts {
  /** Label of nodes whose values are the domains, e.g. `topology.kubernetes.io/zone`. */
  readonly topologyKey: string;
  /** Most pods that a domain may have more than the one with the fewest. */
  readonly maxSkew: number;
  /** The pod waits rather than break it (DoNotSchedule). */
  readonly isRequired: boolean;
  /** Pods that a run has released are counted too: its selector does not ask for the label that tells ReplicaSets apart. */
  readonly countsReleased: boolean;
  /** Cordoned nodes are domains too: `nodeTaintsPolicy` is not Honor. */
  readonly countsCordoned: boolean;
}

/** What is known of a pod that was let go from its ReplicaSet. */
export interface ReleasedFacts extends ReleasedFrom {
  readonly by: string;
  /** Pods that this ReplicaSet shall have now; absent when it does not exist any more. */
  readonly wants?: number;
  /** Pods of the ReplicaSet that have been ready for its `minReadySeconds`, as its status says; absent with `wants`. */
  readonly available?: number;
  /** Why the API server lets none of its pods be created, or deleted: its condition ReplicaFailure; absent when it does. */
  readonly refused?: string;
}

/** What a pod was released from: enough to give it back, and to see whether there is anybody left to take it. */
export interface ReleasedFrom {
  /** Label that the ReplicaSet selects by and nobody else looks at. */
  readonly label: string;
  readonly value: string;
  readonly replicaSet: { readonly name: string; readonly uid: string };
  /** Key of the workload above it, e.g. `Deployment default/web`. */
  readonly workload: string;
  /** Pods of the ReplicaSet that served before any was released; absent where nobody has counted. */
  readonly served?: number;
}

/** Who keeps a pod, in words: its workload, another controller, or nobody but its namespace. */
export function ownerOf({ workload, ownerKind, ownerName, namespace }: PodFacts): string {
  if (workload !== undefined) return workload;
  return ownerName === '' ? `namespace ${namespace}` : `${ownerKind} ${namespace}/${ownerName}`;
}

/** It has run to its end and comes back no more. */
export function isFinished({ phase }: Pick<PodFacts, 'phase'>): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** What the cluster says of one PodDisruptionBudget. */
export interface DisruptionBudgetFacts {
  readonly namespace: string;
  readonly name: string;
  /** UIDs of the pods that its selector matches. */
  readonly podUids: readonly string[];
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptionsAllowed: number;
  readonly expectedPods: number;
  /** Keys of the labels that its selector looks at. */
  readonly selectorKeys?: readonly string[];
}
