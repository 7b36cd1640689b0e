/**
 * What each step records for its next attempt, and how the next attempt reads it: from the heartbeat details of an attempt that has died,
 * possibly of another version. What is not as expected counts as absent, so that a step starts over instead of failing.
 */
import type { EvictionCheckpoint } from '../eviction/eviction.ts';
import type { PodTimes } from '../eviction/pod-times.ts';
import type { RejectedEviction, RejectedEvictions } from '../eviction/rejections.ts';
import type { Returns } from '../eviction/returns.ts';
import type { ServiceBaseline } from '../guard/baseline.ts';
import type { ExternalChange } from '../model/external-change.ts';
import type { NodeRef } from '../model/node.ts';
import type { GoneSince } from '../pod-surge/dismissal.ts';
import type { LateSince } from '../pod-surge/late-workloads.ts';
import type { CapacityWait } from '../surge/missing-capacity.ts';
import type { NodesAside } from '../waits/hosts.ts';
import type { BlockedSince } from './blocked.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Outlook } from './outlook.ts';
import { fieldsOf, hasFields, isNumber, isText, listOf, numbersIn, recordOf } from './read-plain.ts';

/** Checkpoint of emptying a node. */
export interface EvictPodsCheckpoint extends EvictionCheckpoint {
  readonly blocked: readonly BlockedSince[];
  readonly externalChanges: readonly ExternalChange[];
}

/** Checkpoint of removing the endpoints that eviction leaves on a node. */
export interface EndpointRemovalCheckpoint extends PodTimes {
  /** What could not be protected, as text. */
  readonly unprotected: readonly string[];
}

/** Checkpoint of restoring pods to their endpoints. */
export interface RestoreCheckpoint extends PodTimes {
  readonly rejected: RejectedEvictions;
  readonly blocked: readonly BlockedSince[];
}

/** Checkpoint of released pods that no workload needs any more. */
export interface DismissalCheckpoint extends PodTimes {
  readonly goneSince: GoneSince;
  readonly rejected: RejectedEvictions;
}

/** Checkpoint of evicting released pods. */
export interface EvictReleasedCheckpoint extends DismissalCheckpoint {
  readonly blocked: readonly BlockedSince[];
}

/** Checkpoint of replacements that have to start again in another zone. */
export interface MovesCheckpoint extends PodTimes {
  readonly moves: Readonly<Record<string, number>>;
  readonly rejected: RejectedEvictions;
}

/** Checkpoint of pod surge. */
export interface PodSurgeCheckpoint {
  /** Absent until the nodes are chosen. */
  readonly batch?: readonly NodeRef[];
  readonly aside?: NodesAside;
  readonly evictedInstead: readonly { readonly workload: string; readonly reason: string }[];
  readonly lateSince: LateSince;
  /** The observation before has found that everything is done. */
  readonly wasDone: boolean;
  readonly dismissed: DismissalCheckpoint;
  readonly places: MovesCheckpoint;
}

/** What is recorded about a node that is kept out of its load balancers. Plain data. */
export interface ExclusionState {
  /** Since when (epoch ms) the exclude label has been set, as far as the run knows. */
  readonly labelledAt: number;
  /** Epoch ms at which the label was removed in order to be set again; absent while it is set. */
  readonly removedAt?: number;
  /** Epoch ms at which the cordon was removed and set again, for controllers that read the label only then; absent when it was not. */
  readonly cordonChangedAt?: number;
  /** Since when (epoch ms) every observation has found that the node should not have been excluded. */
  readonly revokedSince?: number;
  readonly externalChanges: readonly ExternalChange[];
}

/** Checkpoint of waiting until a node is deregistered, and its connections have drained. */
export interface ExcludedCheckpoint {
  readonly kept?: ExclusionState;
  readonly deregisteredAt?: number;
}

/** Checkpoint of selecting the next node. */
export interface ExcludeCheckpoint {
  readonly baselines?: readonly ServiceBaseline[];
  readonly dismissed: DismissalCheckpoint;
  readonly externalChanges: readonly ExternalChange[];
}

/** Checkpoint of terminating a node. */
export interface TerminateCheckpoint {
  readonly asked: boolean;
  readonly terminatedAt?: number;
}

/** What an attempt has recorded last; undefined where nothing is recorded that the next attempt can use. */
export function readProgress(details: unknown): Heartbeat | undefined {
  const { reason, since, until, seenAt, checkpoint, blocked, remedy, traffic, ...others } = fieldsOf(details);
  if (!isNumber(since)) return undefined;
  const known = listOf(blocked, isBlocked);
  return {
    ...others,
    reason: isText(reason) ? reason : '',
    since,
    until: isNumber(until) ? until : undefined,
    ...(isNumber(seenAt) ? { seenAt } : {}),
    ...(known === undefined ? {} : { blocked: known }),
    ...(isText(remedy) ? { remedy } : {}),
    ...(isTraffic(traffic) ? { traffic } : {}),
    ...(isObject(checkpoint) ? { checkpoint } : {}),
  };
}

export function readPodTimes(kept: unknown): PodTimes {
  const { removedAt, staleSince, unreadySince, drainedAt } = fieldsOf(kept);
  return {
    removedAt: numbersIn(removedAt),
    staleSince: numbersIn(staleSince),
    unreadySince: numbersIn(unreadySince),
    drainedAt: numbersIn(drainedAt),
  };
}

export function readEvictPods(kept: unknown): EvictPodsCheckpoint {
  const { returns, begun, revokedSince, rejected, unprotected, blocked, externalChanges } = fieldsOf(kept);
  return {
    ...readPodTimes(kept),
    ...(returns === undefined ? {} : { returns: recordOf(returns, isReturn) }),
    begun: begun === true,
    ...(isNumber(revokedSince) ? { revokedSince } : {}),
    rejected: readRejected(rejected),
    unprotected: listOf(unprotected, isText) ?? [],
    blocked: listOf(blocked, isBlocked) ?? [],
    externalChanges: listOf(externalChanges, isExternalChange) ?? [],
  };
}

export function readEndpointRemoval(kept: unknown): EndpointRemovalCheckpoint {
  return { ...readPodTimes(kept), unprotected: listOf(fieldsOf(kept)['unprotected'], isText) ?? [] };
}

export function readRestore(kept: unknown): RestoreCheckpoint {
  const { rejected, blocked } = fieldsOf(kept);
  return { ...readPodTimes(kept), rejected: readRejected(rejected), blocked: listOf(blocked, isBlocked) ?? [] };
}

export function readDismissal(kept: unknown): DismissalCheckpoint {
  const { goneSince, rejected } = fieldsOf(kept);
  return { ...readPodTimes(kept), goneSince: numbersIn(goneSince), rejected: readRejected(rejected) };
}

export function readEvictReleased(kept: unknown): EvictReleasedCheckpoint {
  return { ...readDismissal(kept), blocked: listOf(fieldsOf(kept)['blocked'], isBlocked) ?? [] };
}

export function readMoves(kept: unknown): MovesCheckpoint {
  const { moves, rejected } = fieldsOf(kept);
  return { ...readPodTimes(kept), moves: numbersIn(moves), rejected: readRejected(rejected) };
}

export function readPodSurge(kept: unknown): PodSurgeCheckpoint {
  const { batch, aside, evictedInstead, lateSince, wasDone, dismissed, places } = fieldsOf(kept);
  const nodes = listOf(batch, isNodeRef);
  return {
    ...(nodes === undefined ? {} : { batch: nodes }),
    ...(aside === undefined ? {} : { aside: recordOf(aside, isText) }),
    evictedInstead: listOf(evictedInstead, isEvictedInstead) ?? [],
    lateSince: numbersIn(lateSince),
    wasDone: wasDone === true,
    dismissed: readDismissal(dismissed),
    places: readMoves(places),
  };
}

export function readExcluded(kept: unknown): ExcludedCheckpoint {
  const { kept: known, deregisteredAt } = fieldsOf(kept);
  return {
    ...(isExclusionState(known) ? { kept: known } : {}),
    ...(isNumber(deregisteredAt) ? { deregisteredAt } : {}),
  };
}

export function readExclude(kept: unknown): ExcludeCheckpoint {
  const { baselines, dismissed, externalChanges } = fieldsOf(kept);
  const known = listOf(baselines, isBaseline);
  return {
    ...(known === undefined ? {} : { baselines: known }),
    dismissed: readDismissal(dismissed),
    externalChanges: listOf(externalChanges, isExternalChange) ?? [],
  };
}

export function readTerminate(kept: unknown): TerminateCheckpoint {
  const { asked, terminatedAt } = fieldsOf(kept);
  return { asked: asked === true, ...(isNumber(terminatedAt) ? { terminatedAt } : {}) };
}

/** Since when the workloads behind the pods of a node have been gone, by Service. */
export function readGoneSince(kept: unknown): Readonly<Record<string, number>> {
  return numbersIn(fieldsOf(kept)['goneSince']);
}

export function readCapacityWait(kept: unknown): CapacityWait | undefined {
  const { capacityWait } = fieldsOf(kept);
  return isCapacityWait(capacityWait) ? capacityWait : undefined;
}

export function readOutlook(kept: unknown): Outlook | undefined {
  const { outlook } = fieldsOf(kept);
  return isOutlook(outlook) ? outlook : undefined;
}

function readRejected(kept: unknown): RejectedEvictions {
  return recordOf(kept, isRejected);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isTextList = (value: unknown): value is readonly string[] => listOf(value, isText) !== undefined;

const isRejected = (value: unknown): value is RejectedEviction =>
  hasFields(value, { message: isText, againAt: isNumber });

const isReturn = (value: unknown): value is Returns[string] => hasFields(value, { times: isNumber, uids: isTextList });

const isBlocked = (value: unknown): value is BlockedSince =>
  hasFields(value, { pod: isText, since: isNumber, reason: isText });

const isExternalChange = (value: unknown): value is ExternalChange => hasFields(value, { at: isNumber, what: isText });

const isTraffic = (value: unknown): value is NonNullable<Heartbeat['traffic']> => hasFields(value, { sent: isNumber });

const isNodeRef = (value: unknown): value is NodeRef =>
  hasFields(value, { name: isText, uid: isText, instanceId: isText, zone: isText });

const isEvictedInstead = (value: unknown): value is PodSurgeCheckpoint['evictedInstead'][number] =>
  hasFields(value, { workload: isText, reason: isText });

const isBaseline = (value: unknown): value is ServiceBaseline =>
  hasFields(value, { service: isText, targets: isNumber, endpoints: isNumber, missing: isNumber, zones: isTextList });

const isCapacityWait = (value: unknown): value is CapacityWait =>
  hasFields(value, { since: isNumber, ready: isNumber, seenAt: isNumber });

const isOutlook = (value: unknown): value is Outlook => hasFields(value, { nodes: isTextList });

const isExclusionState = (value: unknown): value is ExclusionState =>
  hasFields(value, {
    labelledAt: isNumber,
    externalChanges: (acts: unknown) => listOf(acts, isExternalChange) !== undefined,
  });
