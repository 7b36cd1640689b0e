import type { FencingToken, NodeRef } from '../core/model/node.ts';
import type { ReleasedFrom } from '../core/model/pod.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { VolumeClaimFacts, VolumeClaimRef } from '../core/model/volume.ts';

/** What the eviction API answered, told apart as Kubernetes means it. */
export type EvictionOutcome =
  | { readonly outcome: 'evicted' }
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'blocked-by-budget'; readonly message: string; readonly retryAfterMs: number }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number }
  | { readonly outcome: 'impossible'; readonly message: string };

/** A pod, by the names that make an eviction safe. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The lock on a pool, kept as a Lease; `token` rises with every new holder and fences off old ones. */
export interface PoolLock {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
}

/** An entry for `kubectl describe node`. */
export interface NodeEvent {
  readonly node: NodeRef;
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
}

/**
 * The Kubernetes cluster. Marks of ours carry the run; foreign cordons, labels and taints are left alone and reported.
 * Every call may be repeated. Throws NodeferryError.
 */
export interface Cluster {
  /** Facts from watch-backed caches that are no older than the call. */
  observe(): Promise<ClusterFacts>;
  /** `already` when somebody else had cordoned it: then it is not ours to undo. */
  cordon(node: NodeRef, run: string): Promise<'done' | 'already' | 'gone'>;
  uncordon(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Labels the node `node.kubernetes.io/exclude-from-external-load-balancers=true` and marks the label as ours. */
  exclude(node: NodeRef, run: string): Promise<'done' | 'already' | 'gone'>;
  include(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Notes on the node who acts on it; `superseded` when a later attempt of the same run has. */
  fenceNode(node: NodeRef, fence: FencingToken): Promise<'done' | 'superseded' | 'gone'>;
  /** Takes back the claim of the run: nobody acts on the node any more. */
  unfenceNode(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** @throws Superseded unless the claim is still the node's, or the node is gone. */
  requireFence(node: NodeRef, fence: FencingToken): Promise<void>;
  /** Adds taint `nodeferry.dev/disrupted:NoSchedule`, so that DaemonSets put no new pod there. */
  taintDisrupted(node: NodeRef, run: string): Promise<'done' | 'gone'>;
  untaintDisrupted(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Takes the pod out of its Services' endpoints by removing these labels; keeps the originals in an annotation of ours. */
  removeEndpoints(pod: PodRef, removeLabels: readonly string[], run: string): Promise<'done' | 'gone'>;
  restoreEndpoints(pod: PodRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /**
   * Lets the pod go from its ReplicaSet by removing that label: a replacement starts at once, while the pod serves on (Kubernetes docs,
   * "ReplicaSet", Isolating Pods from a ReplicaSet). Keeps what it was released from in an annotation of ours. `not-owned` when that
   * ReplicaSet does not have it now, or not by that label.
   */
  release(pod: PodRef, from: ReleasedFrom, run: string): Promise<'done' | 'not-owned' | 'gone'>;
  /**
   * Tries whether the pod could be released, and its ReplicaSet let go of it, and changes nothing: what the API server says where admission
   * forbids that; undefined where it does not, or where that can't be tried.
   */
  tryRelease(pod: PodRef, from: ReleasedFrom): Promise<string | undefined>;
  /** Gives the released pod back. Its ReplicaSet then has one too many and deletes one: which, its deletion costs decide. */
  adopt(pod: PodRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Makes a ReplicaSet that has too many pods take others before this one; keeps the cost that it had in an annotation of ours. */
  raiseDeletionCost(pod: PodRef, run: string): Promise<'done' | 'gone'>;
  restoreDeletionCost(pod: PodRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /**
   * Makes the ReplicaSet of the pod look at its pods now, by a change of the pod that is taken back at once. One that was refused a pod waits up to
   * 1,000 s before it tries again, unless something of its own changes.
   */
  wakeOwner(pod: PodRef, run: string): Promise<void>;
  /** What these claims say, each read on its own; claims that are gone are left out. */
  readVolumeClaims(volumeClaims: readonly VolumeClaimRef[]): Promise<readonly VolumeClaimFacts[]>;
  evict(pod: PodRef, options: { readonly dryRun: boolean }): Promise<EvictionOutcome>;
  /** Plain delete by uid, only for pods that eviction does not cover (DaemonSet pods on a retiring node, finished pods). */
  deletePod(pod: PodRef): Promise<'done' | 'gone'>;
  /** Deletes the Node object with that uid; only after its machine is gone. */
  deleteNode(node: NodeRef): Promise<'done' | 'gone'>;
  /** Takes or keeps the lock, and notes on it the pool that its holder brings up. @throws LockHeld when another live holder has it. */
  acquireLock(name: string, holder: string, durationMs: number, incomingPool?: string): Promise<PoolLock>;
  /** @throws LockLost when somebody else has taken it since. */
  renewLock(lock: PoolLock, durationMs: number): Promise<void>;
  releaseLock(lock: PoolLock): Promise<void>;
  /** @throws LockLost unless the lock is that holder's, under whatever token. An expired lock is his until somebody takes it. */
  requireLock(name: string, holder: string): Promise<void>;
  /**
   * Makes sure that nobody of the run has come after this claim, and notes it on the run's lock.
   * @throws LockLost unless the lock is that run's; Superseded when a later attempt of it has claimed the lock
   */
  fenceLock(name: string, fence: FencingToken): Promise<void>;
  recordEvent(event: NodeEvent): Promise<void>;
  /** Everything that still carries a mark of the run, in words, e.g. `node ip-…: label exclude-from-external-load-balancers`. */
  findLeftovers(run: string): Promise<readonly string[]>;
  /** Locks that this run holds, under its own name or in the name of one of its steps; those included that have expired. */
  findLocks(run: string): Promise<readonly PoolLock[]>;
  /** Names of the pools that are noted on locks, expired or not: their runs are under way, or nobody has put back what they did. */
  findIncomingPools(): Promise<readonly string[]>;
  /** Who holds the lock of that name, expired or not; undefined when nobody does. */
  findHolder(name: string): Promise<string | undefined>;
}
