import type { FencingToken, NodeRef } from '../core/model/node.ts';
import type { PodRef, ReleasedFrom } from '../core/model/pod.ts';
import type { PoolLock } from '../core/model/pool-lock.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { VolumeClaimFacts, VolumeClaimRef } from '../core/model/volume.ts';

/** The response of the eviction API, distinguished by what Kubernetes means. */
export type EvictionOutcome =
  | { readonly outcome: 'evicted' }
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'blocked-by-budget'; readonly message: string; readonly retryAfterMs: number }
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs: number }
  | { readonly outcome: 'impossible'; readonly message: string };

/** An entry for `kubectl describe node`. */
export interface NodeEvent {
  readonly node: NodeRef;
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
}

/**
 * The Kubernetes cluster. Ownership marks name the run that made a change. Cordons, labels and taints that others set are left alone and reported.
 * Every call may be repeated. Throws NodeferryError.
 */
export interface Cluster {
  /** Facts from watch-backed caches that are no older than the call. */
  observe(): Promise<ClusterFacts>;
  /** `already` when somebody else had cordoned it: then we must not undo it. */
  cordon(node: NodeRef, run: string): Promise<'done' | 'already' | 'gone'>;
  uncordon(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Labels the node `node.kubernetes.io/exclude-from-external-load-balancers=true` and marks the label as ours. */
  exclude(node: NodeRef, run: string): Promise<'done' | 'already' | 'gone'>;
  include(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Removes every ownership mark of the run from the node, and leaves its cordon, label and taint as they are: they are the operator's from now on. */
  removeOwnershipMarks(node: NodeRef, run: string): Promise<'done' | 'gone'>;
  /** Records on the node which attempt acts on it; `superseded` when a later attempt of the same run already does. */
  fenceNode(node: NodeRef, fence: FencingToken): Promise<'done' | 'superseded' | 'gone'>;
  /** Removes the fencing token of the run: no attempt acts on the node any more. */
  unfenceNode(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** @throws NodeferryError Superseded unless the node still has this fencing token, or is gone */
  requireFence(node: NodeRef, fence: FencingToken): Promise<void>;
  /** Adds taint `nodeferry.dev/disrupted:NoSchedule`, so that DaemonSets place no new pod there. */
  taintDisrupted(node: NodeRef, run: string): Promise<'done' | 'gone'>;
  untaintDisrupted(node: NodeRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Removes the pod from the endpoints of its Services by removing these labels; keeps the originals in an annotation. */
  removeEndpoints(pod: PodRef, removeLabels: readonly string[], run: string): Promise<'done' | 'gone'>;
  restoreEndpoints(pod: PodRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /**
   * Releases the pod from its ReplicaSet by removing that label. A replacement starts at once, while the pod keeps serving (Kubernetes docs,
   * "ReplicaSet", Isolating Pods from a ReplicaSet). Records in an annotation what it was released from. `not-owned` when that ReplicaSet does not
   * own it now, or not by that label.
   */
  release(pod: PodRef, from: ReleasedFrom, run: string): Promise<'done' | 'not-owned' | 'gone'>;
  /**
   * Checks by dry run whether the pod could be released and orphaned by its ReplicaSet. Changes nothing. Returns the API server's message when
   * admission forbids it; undefined when it does not, or when that can't be checked.
   */
  tryRelease(pod: PodRef, from: ReleasedFrom): Promise<string | undefined>;
  /** Returns the released pod to its ReplicaSet, which then has one too many and deletes one. Deletion costs decide which. */
  adopt(pod: PodRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /** Makes a ReplicaSet that has too many pods delete others before this one; keeps the previous cost in an annotation. */
  raiseDeletionCost(pod: PodRef, run: string): Promise<'done' | 'gone'>;
  restoreDeletionCost(pod: PodRef, run: string): Promise<'done' | 'not-ours' | 'gone'>;
  /**
   * Makes the ReplicaSet of the pod reconcile now, by a change of the pod that is reverted at once. A ReplicaSet that was refused a pod waits up to
   * 1,000 s before it tries again, unless something about its pods changes.
   */
  wakeOwner(pod: PodRef, run: string): Promise<void>;
  /** The facts of these volume claims, each read separately; claims that are gone are left out. */
  readVolumeClaims(volumeClaims: readonly VolumeClaimRef[]): Promise<readonly VolumeClaimFacts[]>;
  evict(pod: PodRef, options: { readonly dryRun: boolean }): Promise<EvictionOutcome>;
  /** Plain delete by uid, only for pods that eviction does not cover (DaemonSet pods on a disrupted node, finished pods). */
  deletePod(pod: PodRef): Promise<'done' | 'gone'>;
  /** Deletes the Node object with that uid; only after its instance is gone. */
  deleteNode(node: NodeRef): Promise<'done' | 'gone'>;
  /**
   * Acquires or keeps the lock, and records on it the pool that its holder creates. @throws NodeferryError LockHeld when another live holder has it
   */
  acquireLock(name: string, holder: string, durationMs: number, incomingPool?: string): Promise<PoolLock>;
  /** @throws NodeferryError LockLost when another holder has acquired it since */
  renewLock(lock: PoolLock, durationMs: number): Promise<void>;
  releaseLock(lock: PoolLock): Promise<void>;
  /**
   * @throws NodeferryError LockLost unless that holder has the lock, with whatever token. An expired lock belongs to its holder until another one
   * acquires it.
   */
  requireLock(name: string, holder: string): Promise<void>;
  /**
   * Makes sure that no later attempt of the run has fenced the lock, and records this token on it. @throws NodeferryError LockLost unless the run has
   * the lock; Superseded when a later attempt of it has fenced the lock
   */
  fenceLock(name: string, fence: FencingToken): Promise<void>;
  recordEvent(event: NodeEvent): Promise<void>;
  /** Everything that still carries an ownership mark of the run, as text, e.g. `node ip-…: label exclude-from-external-load-balancers`. */
  findLeftovers(run: string): Promise<readonly string[]>;
  /** Locks that this run holds, under its own name or that of one of its steps, including expired ones. */
  findLocks(run: string): Promise<readonly PoolLock[]>;
  /** Names of the pools that are recorded on locks, expired or not: their runs are in progress, or nobody has cleaned up after them. */
  findIncomingPools(): Promise<readonly string[]>;
  /** Who holds the lock of that name, expired or not; undefined when nobody does. */
  findHolder(name: string): Promise<string | undefined>;
}
