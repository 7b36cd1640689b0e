import type { BudgetDemand } from './budget-demand.ts';
import type { LabelSelectorFacts } from './label-selector.ts';
import type { LifecycleFacts } from './lifecycle.ts';
import type { TaintFacts } from './node.ts';
import type { ContainerNeeds } from './quota.ts';

/** A pod, by the names that make acting on it safe. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The names of a pod without its facts. */
export function podRefOf(pod: PodRef): PodRef {
  return { namespace: pod.namespace, name: pod.name, uid: pod.uid };
}

/** Label that distinguishes the ReplicaSets of a Deployment and their pods (Kubernetes docs, "Deployments", Pod-template-hash label). */
export const templateLabel = 'pod-template-hash';

/** Kind of the controller that owns a pod. `Node` means a static (mirror) pod, `none` a bare pod. */
export type PodOwnerKind = 'ReplicaSet' | 'StatefulSet' | 'DaemonSet' | 'Job' | 'Node' | 'none' | 'other';

/** A toleration, in the form of Kubernetes. */
export interface TolerationFacts {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: TaintFacts['effect'];
}

/** What the API server reports about one pod. */
export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Node to which it is bound. Undefined until it is scheduled. */
  readonly node: string | undefined;
  /** Its addresses; those of its node where it uses the network of the node. Absent until it has one, and once it has run to its end. */
  readonly ips?: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly ownerKind: PodOwnerKind;
  /** Name of the controller, e.g. of the ReplicaSet. Empty for bare pods. */
  readonly ownerName: string;
  /** UID of the controller. Absent for bare pods. */
  readonly ownerUid?: string;
  /** Key of the workload that controls it, e.g. `Deployment default/web`. Absent for bare pods and for controllers of unknown kinds. */
  readonly workload?: string;
  /** Label selector (matchLabels) of the owning ReplicaSet. Absent when the owner is not a ReplicaSet. */
  readonly ownerSelector?: Readonly<Record<string, string>>;
  /** `spec.replicas` of the owning ReplicaSet. Absent when the owner is not a ReplicaSet or does not exist any more. */
  readonly ownerWants?: number;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly ready: boolean;
  /** The first of its readiness gates whose condition is not True. Absent when all are, and when it has none. */
  readonly closedGate?: string;
  /** Since when (epoch ms) it is not ready, from its Ready condition. Absent when it is ready, and when the condition has no time. */
  readonly unreadySince?: number;
  /** True once it has a deletion timestamp. */
  readonly terminating: boolean;
  /** When (epoch ms) the kubelet kills it: the deletion timestamp, which includes the grace period. Absent unless it is terminating. */
  readonly killedAt?: number;
  readonly mirror: boolean;
  readonly hostNetwork: boolean;
  readonly hasEmptyDir: boolean;
  /** Seconds for which a preStop `sleep` hook or the policy guarantees that the pod keeps serving after its deletion. 0 without a guarantee. */
  readonly preStopSeconds: number;
  readonly terminationGracePeriodSeconds: number;
  /** How its containers that serve begin and end. Absent when it has none. */
  readonly lifecycle?: LifecycleFacts;
  /** Why each of its readiness gates that is open was opened: the reason of the condition, by its type. Absent when none has a reason. */
  readonly gatesOpenedBy?: Readonly<Record<string, string>>;
  readonly tolerations: readonly TolerationFacts[];
  /** Labels that its node must have, with the allowed values. Absent when it may run on any node. */
  readonly requiredNodeLabels?: Readonly<Record<string, readonly string[]>>;
  /** Topology keys of required anti-affinity that excludes pods like itself, owned or released. Absent when it has none. */
  readonly keepsApartBy?: readonly string[];
  /** Topology keys of preferred anti-affinity against pods like itself. Absent when it has none. */
  readonly prefersApartBy?: readonly string[];
  /** Its required pod affinity: the pods beside which it must run. Absent when it has none. */
  readonly besides?: readonly BesideFacts[];
  /** Its topology spread constraints that count pods like itself. Absent when it has none. */
  readonly spreads?: readonly SpreadFacts[];
  /** Why the scheduler cannot place it, from the PodScheduled condition. */
  readonly unschedulableReason?: string;
  /** `spec.priority`, which its priority class sets. Absent means 0. */
  readonly priority?: number;
  /** Name of its priority class. Absent when it has none. */
  readonly priorityClass?: string;
  /** Requests and limits of its containers. Absent when no container has any. */
  readonly needs?: readonly ContainerNeeds[];
  /** Finalizers that delay the deletion of its object. Absent when it has none. */
  readonly finalizers?: readonly string[];
  /** The kubelet has reported that none of its containers runs, and none will start while it terminates. */
  readonly stopped?: boolean;
  /** Its controller does not exist any more. Set for DaemonSet pods only. */
  readonly orphaned?: boolean;
  /** Annotation `cluster-autoscaler.kubernetes.io/safe-to-evict`, when its value is one of these. */
  readonly safeToEvict?: 'true' | 'false' | 'on-completion';
  /** Annotation `karpenter.sh/do-not-disrupt`: without limit, or until a time (epoch ms). */
  readonly doNotDisrupt?: 'for-good' | number;
  /** Names of the PersistentVolumeClaims in its namespace that it uses. Absent when it uses none. */
  readonly volumeClaims?: readonly string[];
  /** Those of its claims that were created for this pod alone. A replacement gets its own. */
  readonly ownVolumeClaims?: readonly string[];
  /** Run that removed the pod from the endpoints of its Services, with the labels that it had before. */
  readonly endpointsRemoved?: { readonly by: string; readonly originalLabels: Readonly<Record<string, string>> };
  /** Run that released the pod from its ReplicaSet, so that a replacement starts while the pod keeps serving. */
  readonly released?: ReleasedFacts;
  /** Run that raised its deletion cost, so that its ReplicaSet deletes other pods first. */
  readonly costRaisedBy?: string;
}

/** A term of required pod affinity. */
export interface BesideFacts {
  /** Node label. A pod that the selector matches must run on a node with the same value. */
  readonly topologyKey: string;
  readonly selector: LabelSelectorFacts;
  /** Namespaces of those pods. Absent when they may be in any namespace. */
  readonly namespaces?: readonly string[];
}

/** A topology spread constraint of a pod that counts pods like itself. */
export interface SpreadFacts {
  /** Node label whose values are the domains, e.g. `topology.kubernetes.io/zone`. */
  readonly topologyKey: string;
  /** How many more pods a domain may have than the domain with the fewest. */
  readonly maxSkew: number;
  /** The pod stays Pending rather than violate it (DoNotSchedule). */
  readonly isRequired: boolean;
  /** It also counts the pods that a run has released, because its selector does not use the label that distinguishes ReplicaSets. */
  readonly countsReleased: boolean;
  /** It also counts cordoned nodes as domains, because `nodeTaintsPolicy` is not Honor. */
  readonly countsCordoned: boolean;
}

/** What is known about a pod that a run released from its ReplicaSet. */
export interface ReleasedFacts extends ReleasedFrom {
  readonly by: string;
  /** `spec.replicas` of that ReplicaSet. Absent when it does not exist any more. */
  readonly wants?: number;
  /** `status.availableReplicas` of that ReplicaSet: its pods that have been ready for `minReadySeconds`. Absent with `wants`. */
  readonly available?: number;
  /** Why the API server rejects the creation or deletion of its pods, from its condition ReplicaFailure. Absent when there is no failure. */
  readonly refused?: string;
}

/** Where a pod was released from. It is enough to return the pod to its ReplicaSet, and to see whether that still exists. */
export interface ReleasedFrom {
  /** Label by which the ReplicaSet selects the pod, and which no other object uses. */
  readonly label: string;
  readonly value: string;
  readonly replicaSet: { readonly name: string; readonly uid: string };
  /** Key of the workload above it, e.g. `Deployment default/web`. */
  readonly workload: string;
  /** How many pods of the ReplicaSet served before any was released. Absent when they were not counted. */
  readonly served?: number;
}

/** Names the owner of a pod for a message: its workload, another controller, or its namespace when it has none. */
export function ownerOf({ workload, ownerKind, ownerName, namespace }: PodFacts): string {
  if (workload !== undefined) return workload;
  return ownerName === '' ? `namespace ${namespace}` : `${ownerKind} ${namespace}/${ownerName}`;
}

/** The pod has run to its end, and does not start again. */
export function isFinished({ phase }: Pick<PodFacts, 'phase'>): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Whether it counts for its controller: it runs or will run (kubernetes pkg/controller/controller_utils.go, FilterActivePods). */
export function isActive(pod: Pick<PodFacts, 'phase' | 'terminating'>): boolean {
  return !pod.terminating && !isFinished(pod);
}

/** What the API server reports about one PodDisruptionBudget. */
export interface DisruptionBudgetFacts {
  readonly namespace: string;
  readonly name: string;
  /** UIDs of the pods that its selector matches. */
  readonly podUids: readonly string[];
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptionsAllowed: number;
  readonly expectedPods: number;
  /** Absent where its spec has none. */
  readonly demand?: BudgetDemand;
  /** Keys of the labels that its selector uses. */
  readonly selectorKeys?: readonly string[];
  /** The tool that writes it from a source of its own, e.g. `Helm`, as far as its labels and annotations say. */
  readonly writtenBy?: string;
  /** It lets pods be evicted that are not Ready, whatever their number (`unhealthyPodEvictionPolicy: AlwaysAllow`). */
  readonly evictsUnready?: boolean;
}
