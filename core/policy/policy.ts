import type { PoolRef } from '../model/pool.ts';
import type { RolloutPolicy } from '../rollout/rollout.ts';
import type { SchedulePolicy } from '../schedule/schedule.ts';
import type { DeadlineField, ProtectiveRule } from '../steps/steps.ts';

/**
 * The policy of one pool upgrade, after parsing. All defaults are filled in, and all durations are in milliseconds.
 * policy-file/ has the written form (`nodeferry.dev/v1alpha1`, durations such as `15m`).
 */
export interface Policy {
  readonly name: string;
  readonly cluster: ClusterPolicy;
  /** The pool, and the name of its provider. */
  readonly pool: { readonly provider: string; readonly name: string };
  /** The nodes of the pool that are drained. Absent when the whole pool is replaced by a new one. */
  readonly selection?: NodeSelection;
  readonly target: TargetPolicy;
  /** The target pool exists before the run, which uses its nodes and never deletes it. Absent when the run creates the pool. */
  readonly adoptTarget?: true;
  /**
   * The nodes that the target pool had when the run was planned. Not part of what is written: preflight fills it in for a pool that exists before the
   * run. Absent for a pool that the run creates.
   */
  readonly found?: readonly FoundNode[];
  /**
   * UID of the cluster in which the run was planned: what its workers read later has to be about the same one. Not part of what is written: preflight
   * fills it in. Absent in runs of older versions, and where the worker may not read it.
   */
  readonly clusterUid?: string;
  /** Absent in runs of older versions, which always started all new instances at once. */
  readonly nodeSurge?: NodeSurgeLimit;
  readonly guard: GuardPolicy;
  readonly waits: WaitPolicy;
  readonly drain: DrainPolicy;
  /** Absent in runs of older versions, which had no pod surge. */
  readonly podSurge?: PodSurgePolicy;
  readonly traffic: TrafficPolicy;
  /** When the pool may be upgraded. Absent: at any time. */
  readonly schedule?: SchedulePolicy;
  /** Absent: all nodes as soon as the guard allows, and nobody has to approve. */
  readonly rollout?: RolloutPolicy;
  /** Rules of the audit whose findings are accepted, each with the reason; absent where none is. */
  readonly accept?: Readonly<Record<string, string>>;
  /** Protective rules that are off in this run. Only experiments that are meant to lose requests have any. */
  readonly disabledRules: readonly ProtectiveRule[];
}

/** Address of the pool that a policy replaces. */
export function poolRefOf({ cluster, pool }: Pick<Policy, 'cluster' | 'pool'>): PoolRef {
  const { name, region, ...others } = cluster;
  const set = Object.entries(others).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const locator = set.length === 0 ? {} : { locator: Object.fromEntries(set) };
  return { cluster: name, region, provider: pool.provider, name: pool.name, ...locator };
}

/** Nodes that are drained, without a pool that replaces them. */
export interface NodeSelection {
  readonly nodes: readonly { readonly name: string; readonly uid: string }[];
  /** Whether their instances are terminated in the end. Otherwise the nodes stay, cordoned, excluded and empty. */
  readonly terminate: boolean;
}

/** A node that was in the target pool before its run. */
export interface FoundNode {
  readonly uid: string;
  readonly instanceId: string;
}

/** The longest reason why a rule is accepted, characters. */
export const maxReasonLength = 500;

/** Where the pool is. */
interface ClusterPolicy {
  readonly name: string;
  readonly region: string;
  /** What else only the provider of the pool needs to find the cluster. It is passed on unchanged. */
  readonly [setting: string]: string | undefined;
}

/** Settings of the new pool. Whatever is not set here is copied from the old pool. */
export interface TargetPolicy {
  /** Name of the replacement pool. */
  readonly poolName: string;
  readonly version: string | undefined;
  /** Settings that only the provider of the pool understands. They are passed on unchanged. */
  readonly [setting: string]: string | undefined;
}

/** How many instances a pool may have in addition to its own: a number, or a share (0-1) of its own. */
export type NodeSurgeLimit = { readonly instances: number } | { readonly share: number };

/** The limits of the capacity guard. */
export interface GuardPolicy {
  /**
   * Share (0-1) of a Service's baseline that must keep serving. It applies where neither `minServing` nor a PodDisruptionBudget sets a
   * minimum.
   */
  readonly defaultMinServing: number;
  /** Minimum serving by Service (`namespace/name`): a number of serving targets, or a share (0-1) of the baseline. */
  readonly minServing: Readonly<Record<string, { readonly targets: number } | { readonly share: number }>>;
  /** Services (`namespace/name`) that may lose connections. A Service that cannot be protected refuses the run unless it is listed here. */
  readonly acceptUnprotected: readonly string[];
  /** The most nodes that may be in progress at the same time. */
  readonly maxInFlight: number;
}

/** Propagation of a policy that sets none, ms: that of the slowest load balancers. */
export const defaultPropagationMs = 180_000;

/** Waits, all in ms. Timings that can be read from the load balancer are not part of the policy. */
export interface WaitPolicy {
  /** New connections may still arrive for this long after deregistration was observed (real NLB: 180 s). */
  readonly propagationMs: number;
  /** How long a change of an EndpointSlice takes to reach every kube-proxy. */
  readonly endpointPropagationMs: number;
  /** Added to every timer. */
  readonly marginMs: number;
  /** Time between two observations of a load balancer or the cluster. */
  readonly pollIntervalMs: number;
  /** Observations must agree for this long before a node is excluded. */
  readonly stabilizationMs: number;
  /** The same after an outage of the API server, and after many nodes became unreachable at once. */
  readonly stabilizationAfterOutageMs: number;
  /** Maximum age of a connection by Service (`namespace/name`). `*` applies to all other Services with policy Cluster. */
  readonly maxConnectionAgeMs: Readonly<Record<string, number>>;
  readonly deadlines: DeadlinePolicy;
}

/** Deadlines in ms. A wait that reaches its deadline ends with a named outcome, and the run is stalled. */
export type DeadlinePolicy = { readonly [Field in DeadlineField as `${Field}Ms`]: number };

/** Whether the replacements of pods start before the old pods leave, and how many at a time. */
export interface PodSurgeTerms {
  /**
   * `auto`: surge the pods that can be surged, and evict the others within their budgets. `required`: refuse the run unless all pods can
   * be surged. `off`: evict all pods within their budgets.
   */
  readonly mode: (typeof podSurgeModes)[number];
  readonly max: PodSurgeLimit;
}

/** The modes of pod surge. */
export const podSurgeModes = ['auto', 'off', 'required'] as const;

/** How many pods above its replicas a workload may have during pod surge: as many as in its own rollouts, or a share (0-1) of its replicas. */
export type PodSurgeLimit = 'maxSurge' | number;

/** The terms of pod surge for all workloads, and the exceptions. */
export interface PodSurgePolicy extends PodSurgeTerms {
  /** By `namespace/name` of the Deployment. */
  readonly workloads: Readonly<Record<string, PodSurgeTerms>>;
}

/** Whether a run may surge the pods of any workload. */
export function surgesPods({ podSurge }: Pick<Policy, 'podSurge'>): boolean {
  if (podSurge === undefined) return false;
  return [podSurge, ...Object.values(podSurge.workloads)].some(({ mode }) => mode !== 'off');
}

/** The terms of pod surge for one workload. Pass undefined for pods that no workload controls. */
export function podSurgeTermsOf(
  { podSurge }: Policy,
  workload: { readonly namespace: string; readonly name: string } | undefined,
): PodSurgeTerms {
  if (podSurge === undefined) return { mode: 'off', max: 'maxSurge' };
  if (workload === undefined) return podSurge;
  return podSurge.workloads[`${workload.namespace}/${workload.name}`] ?? podSurge;
}

/** How pods are evicted. The words are those of `kubectl drain`. */
export interface DrainPolicy {
  readonly deleteEmptyDirData: boolean;
  /** Also evict pods that have no controller, which nothing starts again. */
  readonly force: boolean;
  /** Pods and nodes with a do-not-disrupt annotation: refuse the run, wait until the pods end, or evict them anyway. */
  readonly doNotDisrupt: 'refuse' | 'wait' | 'evict';
  /** Pods of Jobs: evict them, which makes the Job start them again from the beginning, or wait until they end. */
  readonly jobs: 'evict' | 'wait';
  /** Instances of unreachable nodes, whose pods cannot end: ask the operator, or terminate them. */
  readonly unreachableNodes: 'ask' | 'terminate';
  /** Workloads (`namespace/name` of the Deployment, or the prefix of the ReplicaSet) whose pods stay in their endpoints until eviction. */
  readonly keepEndpoints: readonly string[];
}

/** A probe that the worker sends during the run. */
export interface ProbePolicy {
  readonly name: string;
  readonly urls: readonly string[];
  readonly ratePerSecond: number;
  readonly timeoutMs: number;
}

/** The traffic watch, and how many requests it may lose before the run pauses. */
interface TrafficPolicy {
  readonly probes: readonly ProbePolicy[];
  /**
   * How many requests may be lost before the run pauses and excludes no further node. Only losses that the run may have caused are
   * counted.
   */
  readonly lossBudget: number;
  /** How long the probes continue, ms, after the run has cleaned up. */
  readonly watchAfterMs: number;
}
