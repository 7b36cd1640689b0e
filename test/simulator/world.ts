import type { Controller } from '../../adapters/elb/map.ts';
import type { FencingToken, TaintFacts } from '../../core/model/node.ts';
import type { PodFacts, SpreadFacts, TolerationFacts } from '../../core/model/pod.ts';
import type { InstanceFacts, PoolFacts } from '../../core/model/pool.ts';
import type { TargetGroupFacts, TargetState } from '../../core/model/target-group.ts';
import type { AnnotationsBefore } from '../../core/pod-surge/keep-from-pruners.ts';
import type { LearnedTimes } from '../../core/schedule/needed-time.ts';
import type { FreezePeriod } from '../../core/schedule/schedule.ts';
import type { ZonedSize } from '../../core/surge/zoned-size.ts';
import type { ManagedNodePools } from '../../ports/node-pools.ts';
import { createVirtualClock, type VirtualClock } from './clock.ts';
import { type Delays, defaultDelays } from './delays.ts';
import { seededRandom } from './seeded-random.ts';

/** Removes `readonly`, one level deep. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface SimInstance extends Mutable<InstanceFacts> {
  pool: string;
  /** Answers packets. */
  alive: boolean;
  /** Others terminated it, and Auto Scaling still believes that it runs. */
  unnoticed?: true;
  /** Auto Scaling terminates it, and a lifecycle hook keeps it running for a while. */
  isHeld?: true;
}

export interface SimNode {
  name: string;
  uid: string;
  instanceId: string;
  zone: string;
  pool: string;
  kubeletVersion: string;
  /** Its lease is renewed. */
  ready: boolean;
  /** Since when (epoch ms) it is not. */
  unknownSince?: number;
  /** Its kubelet is not heard from, and does not learn what it is told; see silent-nodes.ts. */
  silent?: true;
  /** What its kube-proxy believes of each Service, by key, since it was disconnected. */
  believes?: ReadonlyMap<string, SimService['view']>;
  cordoned: boolean;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  taints: TaintFacts[];
  /** Replicas of every workload when the node was excluded: its replacement need not make up for what is added later. */
  scalesWhenExcluded?: Readonly<Record<string, number>>;
}

export interface SimPod extends Mutable<PodFacts> {
  /** The process accepts connections. */
  accepts: boolean;
  /** Its process has started. */
  started: boolean;
  /** Its readiness probe fails although the process accepts. */
  failing: boolean;
  /** Name of its workload. */
  of: string;
  /** Version of the template that it was made from. */
  version: number;
  createdAt: number;
  /** When (epoch ms) its readiness last changed. */
  turnedAt?: number;
  /** Its containers don't end, whoever tells them to. */
  stuck?: boolean;
  /** When (epoch ms) it is removed, unless its containers or finalizers keep it. */
  goneAt?: number;
  annotations?: Record<string, string>;
  /** How often its object was changed in a way that is visible nowhere else. */
  touched?: number;
  /** Its deletion cost before a run raised it. */
  costBefore?: string | undefined;
  /** The annotations that keep pruners from it, before a run released it or removed it from endpoints. */
  annotationsBefore?: AnnotationsBefore;
}

export interface SimWorkload {
  kind: 'Deployment' | 'DaemonSet';
  name: string;
  replicas: number;
  labels: Record<string, string>;
  selector: Record<string, string>;
  tolerations: TolerationFacts[];
  /** Pods being created right now. */
  creating: number;
  /** Seconds for which its pods keep serving after they were told to stop. */
  preStopSeconds: number;
  /** How its pods are spread; by load alone if absent. */
  spreads?: readonly SpreadFacts[];
  /** Version of its pods' template; pods of older ones are replaced one by one, the new one first. */
  version: number;
  /**
   * The maximum number of pods that the quota of its namespace allows, including terminating pods until they are gone (Kubernetes docs, "Resource
   * Quotas", Object count quota): the API server refuses to create more.
   */
  quota?: number;
  /** Our role may read that quota; others are discovered when they refuse. */
  quotaTold?: true;
  /** Seconds that a pod has to be ready before it counts as available. */
  minReadySeconds?: number;
  /** Its pods run only on nodes where a pod of that workload is: required affinity by host. */
  beside?: string;
  /** Its pods are as large as a node: one that finds no free node stays pending. */
  fillsNode?: true;
  /** Sizes that its ReplicaSets keep while no Deployment controller changes them: it is paused, or its Deployment is deleted. */
  frozen?: { version: number; replicas: number; creating: number }[];
  paused?: boolean;
  /** Its Deployment has been deleted without its ReplicaSets. */
  away?: boolean;
}

export interface SimTarget {
  instanceId: string;
  state: TargetState;
  /** The load balancer's API still returns it; new connections may arrive after that. */
  listed: boolean;
  /** It is registered everywhere, and its health is checked. */
  checked: boolean;
  /** The load balancer sends new connections here. */
  forwards: boolean;
  /** Health check results that have started, and when. */
  passing: boolean;
  passingSince: number;
  /** Its controller registered it in spite of the exclude label, and does not reconcile it until the label changes. */
  stuck: boolean;
}

/** A pod as a target. */
export interface SimPodTarget {
  pod: SimPod;
  state: TargetState;
  /** The API of the cloud lists it. */
  listed: boolean;
  /** The load balancer sends new connections here. */
  forwards: boolean;
}

export interface SimService {
  key: string;
  type: 'LoadBalancer' | 'ClusterIP';
  externalTrafficPolicy: 'Local' | 'Cluster';
  /** `Cluster` if absent. */
  internalTrafficPolicy?: 'Local';
  selector: Record<string, string>;
  healthCheckNodePort: number;
  ratePerSecond: number;
  crossZone: boolean;
  controller: Controller;
  /** A target that becomes unhealthy keeps its connections for this long, ms: its state is `unhealthy.draining`. */
  unhealthyDrainingMs: number;
  /**
   * What its load balancer is; `watched` if absent. All work alike. `classic`: the API does not return it; `unmanaged`: it has no tag of a
   * controller; `pods-too`: it has a second target group, of pods; `empty`: its target group has been deleted.
   */
  balancer?: 'watched' | 'classic' | 'unmanaged' | 'pods-too' | 'empty';
  /** Zones that its load balancer does not cover: targets there are `unused`, for good (ELBv2 API, TargetHealth: Target.NotInUse). */
  uncovered?: readonly string[];
  /** Names of nodes whose target never passes a health check, for its own reasons. */
  broken?: readonly string[];
  /** It has a second target group. Health checks of that one, or of both, never pass; its load balancer sends to nodes as if they did. */
  failingChecks?: 'second' | 'both';
  /** Name of the only pool whose nodes its controller registers (annotation aws-load-balancer-target-node-labels). */
  onlyPool?: string;
  /** Its load balancer was made for an Ingress, and checks the pods of a node: the Service itself is of type NodePort. */
  ofIngress?: true;
  /** Which nodes its controller registers; all of them if absent. */
  membership?: TargetGroupFacts['membership'];
  /** Of how many nodes a `subset` consists. */
  subsetSize?: number;
  /** A node that is included again while it drains is registered only after that. */
  returnsAfterDrain?: true;
  /** Its controller reads the exclusion label only when a cordon changes, or nodes come, go, or turn Ready or not; or nobody can tell whether it does. */
  readsLabelWithCordon?: true;
  mayReadLabelWithCordon?: true;
  /** How long its targets drain, ms; as those of the world if absent. */
  connectionDrainMs?: number;
  /** Its pods are targets. Its controller takes out those of zones without a candidate node, at once (ingress-gce 2428d1cca). */
  podGroups?: true;
  /** The targets of its load balancer, where these are pods; `targets` is empty then. See pod-targets.ts. */
  podTargets?: SimPodTarget[];
  /** Its load balancer never finds a pod healthy, and so sends to all of them. */
  failsOpen?: true;
  /** What the kube-proxies know; behind the truth by the endpoint delay. Terminating endpoints serve when no other is left. */
  view: readonly SimEndpoint[];
  targets: SimTarget[];
}

interface SimEndpoint {
  podUid: string;
  node: string;
  terminating: boolean;
}

export interface SimBudget {
  name: string;
  selector: Record<string, string>;
  minAvailable?: number;
  maxUnavailable?: number;
}

/**
 * Allows traffic to and from pods with these labels. Once there is one, pods that none selects get nothing, as with a policy that denies by default.
 * Cilium also drops what is in flight; here requests take no time.
 */
interface SimNetworkPolicy {
  name: string;
  selector: Record<string, string>;
}

/** What admission forbids: that a run releases a pod, that it removes one from endpoints, or that somebody removes the owner of a pod. */
interface SimDenial {
  workload: string;
  what: 'release' | 'remove-endpoints' | 'no-owner';
  says: string;
  /** Dry runs don't show it: it allows them, or was added since. */
  hidden?: true;
}

export interface SimPool extends Omit<Mutable<PoolFacts>, 'instances' | 'ref' | 'problems' | 'suspended'> {
  name: string;
  problems: string[];
  /** What a run has suspended on it, as recorded for the rollback; absent when nothing is. */
  suspendedByRun?: string[];
  /** Name of the pool that it was created to replace. */
  replaces?: string;
  /** While it may not shrink: the minimum that the owner of that pool chose. */
  ownersMinSize?: number;
  /** While it is replaced in place: by which run, and what it was like before. */
  before?: { readonly run: string; readonly version: string; readonly maxSize: number };
  /** What its zones need, where its cloud can choose zones; they are balanced otherwise. */
  needs?: ZonedSize;
  /** Auto Scaling's suspended processes, whoever suspended them. */
  suspended: string[];
  /** Its Auto Scaling group exists: before that, it has no instance and its scaling can't be suspended. */
  scales: boolean;
  /** How long its lifecycle hook keeps an instance that is to be terminated; it has none if absent. */
  terminationHookMs?: number;
}

/** Injected faults. */
interface Faults {
  /** Share (0-1) of port calls that answer Throttled. */
  throttled: number;
  /** This many instances of a new pool never make their node Ready. */
  neverReady: number;
  /** This many further instances of any pool start, and never become nodes. */
  neverJoining: number;
  /** The maximum number of instances that the cloud can provide; more are refused with a capacity problem. */
  capacity: number;
  /** The cloud does not allow us to launch instances. */
  mayNotLaunch: boolean;
  /** The endpoint slice controller does nothing: slices stay as they are, and so do the kube-proxies. */
  slicesFrozen: boolean;
  /** The controllers of Deployments and ReplicaSets do nothing: no pod is created, deleted, released or adopted. */
  replicaSetsFrozen: boolean;
  /** The controllers of load balancers do nothing: nothing is registered or deregistered. */
  controllersFrozen: boolean;
  /** Our role may not read network policies. */
  policiesHidden: boolean;
  /** The API server does not answer. */
  apiDown: boolean;
  /** Which of the fitting nodes a pod gets: the one that spreads best, any, or the one that spreads worst. */
  scheduler: 'spreads' | 'any' | 'crowds';
  /** Called before a Lease of that name is renewed; throws unexpected errors. */
  onRenewal: (lease: string) => void;
}

/** The simulated world: one cluster in one cloud. Mutable; call `changed` after modifying it. */
export interface World {
  readonly clock: VirtualClock;
  delays: Delays;
  readonly faults: Faults;
  instances: SimInstance[];
  nodes: SimNode[];
  pods: SimPod[];
  workloads: SimWorkload[];
  services: SimService[];
  budgets: SimBudget[];
  networkPolicies: SimNetworkPolicy[];
  denials: SimDenial[];
  /** Workloads whose autoscalers multiply a metric by all pods that they find. */
  autoscalers: string[];
  pools: SimPool[];
  /** What a step gets as the node pools of GKE; like those of the world unless given. */
  gkePools?: ManagedNodePools;
  leases: Map<
    string,
    { holder: string; token: number; expiresAt: number; fence?: FencingToken; incomingPool?: string }
  >;
  /** Epoch ms at which the API server last recovered from an outage. */
  outageAt?: number;
  /** Epoch ms at which the last kube-proxy asks the API server again after that. */
  proxiesBackAt?: number;
  /** What runs have learned, and which ones. */
  timings: { learned: LearnedTimes; runs: string[] };
  /** Events of calendars by address; an address without any is not found. */
  calendars: Record<string, readonly FreezePeriod[]>;
  /** Requests so far; fractions are added up exactly. */
  traffic: { sent: number; lost: number; cut: number };
  /** When each load balancer last sent a new connection to each instance, by `<service> <instance>`. */
  lastForwarded: Map<string, number>;
  /** How the provider IDs of its nodes begin (`aws` if absent), and what tells its cluster from others. */
  cloud?: string;
  clusterUid?: string;
  /** How often each instance was told to terminate while it ran. */
  terminations: Map<string, number>;
  /** Everything that happened against the rules, as text. */
  violations: string[];
  /** The fewest serving targets seen per Service. */
  fewestServing: Map<string, number>;
  log: string[];
  random(): number;
  nextId(prefix: string): string;
  changed(): void;
}

/** An empty world at a fixed time. */
export function createWorld(options: {
  seed: number;
  delays?: Partial<Delays>;
  /** When it begins, epoch ms. */
  startsAt?: number;
  reconcile: (world: World) => void;
}): World {
  let ids = 0;
  const world: World = {
    clock: createVirtualClock(options.startsAt ?? Date.UTC(2026, 0, 1)),
    delays: { ...defaultDelays, ...options.delays },
    faults: {
      throttled: 0,
      neverReady: 0,
      neverJoining: 0,
      capacity: Number.POSITIVE_INFINITY,
      mayNotLaunch: false,
      slicesFrozen: false,
      replicaSetsFrozen: false,
      controllersFrozen: false,
      policiesHidden: false,
      apiDown: false,
      scheduler: 'spreads',
      onRenewal: () => undefined,
    },
    instances: [],
    nodes: [],
    pods: [],
    workloads: [],
    services: [],
    budgets: [],
    networkPolicies: [],
    denials: [],
    autoscalers: [],
    pools: [],
    leases: new Map(),
    timings: { learned: {}, runs: [] },
    calendars: {},
    traffic: { sent: 0, lost: 0, cut: 0 },
    lastForwarded: new Map(),
    terminations: new Map(),
    violations: [],
    fewestServing: new Map(),
    log: [],
    random: seededRandom(options.seed),
    nextId: (prefix) => {
      ids += 1;
      return `${prefix}-${ids}`;
    },
    changed: () => options.reconcile(world),
  };
  return world;
}

/** Schedules a change of the world. */
export function later(world: World, ms: number, change: () => void): void {
  world.clock.at(world.clock.now() + ms, () => {
    change();
    world.changed();
  });
}

type Labels = Readonly<Record<string, string>>;

/** Whether labels match a selector; an empty selector matches nothing. */
export function matches(selector: Labels, labels: Labels): boolean {
  return selectorOf(selector)(labels);
}

/** The same for many labels: the selector is read once, because this is asked of every pod at every change of the world. */
export function selectorOf(selector: Labels): (labels: Labels) => boolean {
  const wanted = Object.entries(selector);
  return (labels) => wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** Writes a line to the world's log, with the time. */
export function note(world: World, line: string): void {
  world.log.push(`${new Date(world.clock.now()).toISOString().slice(11, 19)} ${line}`);
}
