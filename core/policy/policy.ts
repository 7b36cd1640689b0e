/**
 * The policy of one pool upgrade, after parsing and defaults: every field is there and every duration is milliseconds.
 * The written form (`nodeferry.dev/v1alpha1`, durations as `15m`) is in schema.ts.
 */
export interface Policy {
  readonly name: string;
  readonly cluster: ClusterPolicy;
  readonly pool: { readonly provider: 'eks'; readonly name: string };
  readonly target: TargetPolicy;
  /** Absent in runs of versions that always had all new machines come at once. */
  readonly nodeSurge?: NodeSurgeLimit;
  readonly guard: GuardPolicy;
  readonly waits: WaitPolicy;
  readonly drain: DrainPolicy;
  /** Absent in runs of versions that could not do it. */
  readonly podSurge?: PodSurgePolicy;
  readonly traffic: TrafficPolicy;
  /** Protective rules that this run does without; empty but for experiments that are meant to lose requests. */
  readonly disabledRules: readonly ProtectiveRule[];
}

/** Where the pool is. */
interface ClusterPolicy {
  readonly name: string;
  readonly region: string;
}

/** What the new pool shall be; what is not said is cloned from the old one. */
export interface TargetPolicy {
  /** Name of the replacement pool. */
  readonly poolName: string;
  readonly version: string | undefined;
  readonly releaseVersion: string | undefined;
  readonly launchTemplateVersion: string | undefined;
}

/** How many machines beyond its own a pool may have at a time: so many, or a share (0-1) of its own. */
export type NodeSurgeLimit = { readonly instances: number } | { readonly share: number };

/** How much must keep serving. */
export interface GuardPolicy {
  /** Share (0-1) of the most that was seen to serve that must stay, where no PodDisruptionBudget says more exactly. */
  readonly defaultMinServing: number;
  /** Floors by Service key (`namespace/name`): a number of serving targets, or a share 0-1. */
  readonly minServing: Readonly<Record<string, { readonly targets: number } | { readonly share: number }>>;
  /** Services (`namespace/name`) that need not be protected: one that can't be does not refuse the run when it is listed here. */
  readonly acceptUnprotected: readonly string[];
  /** The most nodes that may be on their way out together. */
  readonly maxInFlight: number;
}

/** Waits, all in ms. Load-balancer timings that can be read live are not here. */
export interface WaitPolicy {
  /** New connections may still arrive for this long after deregistration was observed (real NLB: 180 s). */
  readonly propagationMs: number;
  /** EndpointSlice and kube-proxy propagation. */
  readonly endpointPropagationMs: number;
  /** Added to every timer. */
  readonly marginMs: number;
  /** Time between two looks at a load balancer or cluster. */
  readonly pollIntervalMs: number;
  /** Observations must agree for this long before a node is excluded. */
  readonly stabilizationMs: number;
  /** After the API server was away, or many nodes fell silent at once, what is seen must settle for this long. */
  readonly stabilizationAfterOutageMs: number;
  /** Longest age of a connection, by Service key; `*` is the default for Services with policy Cluster. */
  readonly maxConnectionAgeMs: Readonly<Record<string, number>>;
  readonly deadlines: DeadlinePolicy;
}

/** After these times a wait ends with a named outcome and the run needs attention. */
export interface DeadlinePolicy {
  readonly nodesReadyMs: number;
  readonly capacityMs: number;
  readonly deregistrationMs: number;
  readonly connectionDrainMs: number;
  readonly evictionMs: number;
  readonly replacementsMs: number;
  readonly endpointRemovalMs: number;
  readonly terminationMs: number;
  readonly jobCompletionMs: number;
  readonly guardMs: number;
}

/** Whether the pods of workloads are replaced before they leave, and how many at a time. */
export interface PodSurgeTerms {
  /** `auto`: those that can be; `required`: all, or the run is refused; `off`: none, they are evicted within their budgets. */
  readonly mode: (typeof podSurgeModes)[number];
  readonly max: SurgeLimitOfPods;
}

/** What a policy may ask of a hand-over. */
export const podSurgeModes = ['auto', 'off', 'required'] as const;

/** How many pods beyond its replicas a workload may have for a hand-over: as many as in its own rollouts, or a share (0-1) of its replicas. */
export type SurgeLimitOfPods = 'maxSurge' | number;

/** Terms for all workloads, and exceptions from them. */
export interface PodSurgePolicy extends PodSurgeTerms {
  /** By `namespace/name` of the Deployment. */
  readonly workloads: Readonly<Record<string, PodSurgeTerms>>;
}

/** Whether a run replaces pods of any workload before they leave. */
export function surgesPods({ podSurge }: Pick<Policy, 'podSurge'>): boolean {
  if (podSurge === undefined) return false;
  return [podSurge, ...Object.values(podSurge.workloads)].some(({ mode }) => mode !== 'off');
}

/** What a policy says about the pods of one workload; undefined for pods that none keeps. */
export function podSurgeTermsOf(
  { podSurge }: Policy,
  workload: { readonly namespace: string; readonly name: string } | undefined,
): PodSurgeTerms {
  if (podSurge === undefined) return { mode: 'off', max: 'maxSurge' };
  if (workload === undefined) return podSurge;
  return podSurge.workloads[`${workload.namespace}/${workload.name}`] ?? podSurge;
}

/** How pods are moved; kubectl's words. */
export interface DrainPolicy {
  readonly deleteEmptyDirData: boolean;
  /** Also evict pods that no controller owns. */
  readonly force: boolean;
  /** Pods and nodes whose annotations ask to be left alone: refuse the run, wait for their end, or evict them all the same. */
  readonly doNotDisrupt: 'refuse' | 'wait' | 'evict';
  /** Pods of Jobs: evict them, so that they start again from the beginning, or wait for their end. */
  readonly jobs: 'evict' | 'wait';
  /** The machines of nodes that are unreachable, whose pods can't end: ask the operator, or end them. */
  readonly unreachableNodes: 'ask' | 'terminate';
  /** Workloads (`namespace/name` of the Deployment or ReplicaSet prefix) whose pods may not be unlisted. */
  readonly keepEndpoints: readonly string[];
}

/** A probe that the worker sends during the run. */
export interface ProbePolicy {
  readonly name: string;
  readonly urls: readonly string[];
  readonly ratePerSecond: number;
  readonly timeoutMs: number;
}

/** The traffic watch and what it may lose before the run pauses. */
interface TrafficPolicy {
  readonly probes: readonly ProbePolicy[];
  /** Requests that may be lost, by what can be the run's doing, before no further node steps out and the run pauses. */
  readonly lossBudget: number;
  /** The probes go on for so long, ms, after everything has been put back. */
  readonly watchAfterMs: number;
}

/** The rules that protect connections; each can be switched off to show what it is for. */
export const protectiveRules = [
  'wait-for-deregistration',
  'wait-for-propagation',
  'remove-endpoints-before-eviction',
  'wait-for-forwarded-connections',
  'remove-daemonset-endpoints',
  'wait-for-replacements',
  'capacity-guard',
] as const;

/** One of the rules that protect connections. */
export type ProtectiveRule = (typeof protectiveRules)[number];
