/**
 * What each step leaves behind for its next attempt, and how that is read again: from the heartbeat details of an attempt that has died,
 * which may have been of another version. What is not as expected counts as not there, so that a step begins anew rather than fails.
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

/** Of emptying a node. */
export interface EvictPodsCheckpoint extends EvictionCheckpoint {
  readonly blocked: readonly BlockedSince[];
  readonly externalChanges: readonly ExternalChange[];
}

/** Of putting pods back into their endpoints. */
export interface PutBackCheckpoint extends PodTimes {
  readonly refused: RejectedEvictions;
  readonly blocked: readonly BlockedSince[];
}

/** Of released pods that nobody wants any more. */
export interface DismissalCheckpoint extends PodTimes {
  readonly goneSince: GoneSince;
  readonly rejected: RejectedEvictions;
}

/** Of evicting released pods. */
export interface EvictReleasedCheckpoint extends DismissalCheckpoint {
  readonly blocked: readonly BlockedSince[];
}

/** Of replacements that have to start again in another zone. */
export interface MovesCheckpoint extends PodTimes {
  readonly moves: Readonly<Record<string, number>>;
  readonly rejected: RejectedEvictions;
}

/** Of replacing pods before they leave. */
export interface HandOverCheckpoint {
  /** Absent until the nodes are chosen. */
  readonly wave?: readonly NodeRef[];
  readonly aside?: NodesAside;
  readonly evictedInstead: readonly { readonly workload: string; readonly reason: string }[];
  readonly lateSince: LateSince;
  /** The observation before has found that all is done. */
  readonly agreed: boolean;
  readonly dismissed: DismissalCheckpoint;
  readonly places: MovesCheckpoint;
}

/** What is remembered of a node that is kept out of its load balancers. Plain data. */
export interface ExclusionState {
  /** Epoch ms since when the exclude label has been on, as far as we know. */
  readonly labelledAt: number;
  /** Epoch ms at which the label was removed in order to be set again; absent while it is on. */
  readonly removedAt?: number;
  /** Epoch ms since when every look has found that the node should not have been let go. */
  readonly lostSince?: number;
  readonly externalChanges: readonly ExternalChange[];
}

/** Of waiting until a node is out of its load balancers, and its connections have ended. */
export interface KeptOutCheckpoint {
  readonly kept?: ExclusionState;
  readonly deregisteredAt?: number;
}

/** Of choosing the next node. */
export interface StepOutCheckpoint {
  readonly baselines?: readonly ServiceBaseline[];
  readonly dismissed: DismissalCheckpoint;
  readonly externalChanges: readonly ExternalChange[];
  readonly lonelySince?: number;
}

/** Of terminating a node. */
export interface TerminateCheckpoint {
  readonly asked: boolean;
  readonly terminatedAt?: number;
}

/** What an attempt has told last; undefined where it has told nothing that can be gone on from. */
export function readProgress(details: unknown): Heartbeat | undefined {
  const { reason, since, until, seenAt, checkpoint, blocked, traffic, ...others } = fieldsOf(details);
  if (!isNumber(since)) return undefined;
  const held = listOf(blocked, isBlocked);
  return {
    ...others,
    reason: isText(reason) ? reason : '',
    since,
    until: isNumber(until) ? until : undefined,
    ...(isNumber(seenAt) ? { seenAt } : {}),
    ...(held === undefined ? {} : { blocked: held }),
    ...(isTraffic(traffic) ? { traffic } : {}),
    ...(isObject(checkpoint) ? { checkpoint } : {}),
  };
}

export function readPodTimes(kept: unknown): PodTimes {
  const { removedAt, laggingSince, unreadySince } = fieldsOf(kept);
  return {
    removedAt: numbersIn(removedAt),
    laggingSince: numbersIn(laggingSince),
    unreadySince: numbersIn(unreadySince),
  };
}

export function readEvictPods(kept: unknown): EvictPodsCheckpoint {
  const { returns, begun, lostSince, rejected, unprotected, blocked, externalChanges } = fieldsOf(kept);
  return {
    ...readPodTimes(kept),
    ...(returns === undefined ? {} : { returns: recordOf(returns, isReturn) }),
    begun: begun === true,
    ...(isNumber(lostSince) ? { lostSince } : {}),
    rejected: readRejected(rejected),
    unprotected: listOf(unprotected, isText) ?? [],
    blocked: listOf(blocked, isBlocked) ?? [],
    externalChanges: listOf(externalChanges, isForeignAct) ?? [],
  };
}

export function readPutBack(kept: unknown): PutBackCheckpoint {
  const { refused, blocked } = fieldsOf(kept);
  return { ...readPodTimes(kept), refused: readRejected(refused), blocked: listOf(blocked, isBlocked) ?? [] };
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

export function readHandOver(kept: unknown): HandOverCheckpoint {
  const { wave, aside, evictedInstead, lateSince, agreed, dismissed, places } = fieldsOf(kept);
  const nodes = listOf(wave, isNodeRef);
  return {
    ...(nodes === undefined ? {} : { wave: nodes }),
    ...(aside === undefined ? {} : { aside: recordOf(aside, isText) }),
    evictedInstead: listOf(evictedInstead, isGivenUp) ?? [],
    lateSince: numbersIn(lateSince),
    agreed: agreed === true,
    dismissed: readDismissal(dismissed),
    places: readMoves(places),
  };
}

export function readKeptOut(kept: unknown): KeptOutCheckpoint {
  const { kept: known, deregisteredAt } = fieldsOf(kept);
  return { ...(isKeptOut(known) ? { kept: known } : {}), ...(isNumber(deregisteredAt) ? { deregisteredAt } : {}) };
}

export function readStepOut(kept: unknown): StepOutCheckpoint {
  const { baselines, dismissed, externalChanges, lonelySince } = fieldsOf(kept);
  const known = listOf(baselines, isBaseline);
  return {
    ...(known === undefined ? {} : { baselines: known }),
    dismissed: readDismissal(dismissed),
    externalChanges: listOf(externalChanges, isForeignAct) ?? [],
    ...(isNumber(lonelySince) ? { lonelySince } : {}),
  };
}

export function readTerminate(kept: unknown): TerminateCheckpoint {
  const { asked, terminatedAt } = fieldsOf(kept);
  return { asked: asked === true, ...(isNumber(terminatedAt) ? { terminatedAt } : {}) };
}

/** Since when what stood behind the pods of a node has been gone, by Service. */
export function readGoneSince(kept: unknown): Readonly<Record<string, number>> {
  return numbersIn(fieldsOf(kept)['goneSince']);
}

export function readCapacityWait(kept: unknown): CapacityWait | undefined {
  const { capacityWait } = fieldsOf(kept);
  return isStandStill(capacityWait) ? capacityWait : undefined;
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

const isForeignAct = (value: unknown): value is ExternalChange => hasFields(value, { at: isNumber, what: isText });

const isTraffic = (value: unknown): value is NonNullable<Heartbeat['traffic']> => hasFields(value, { sent: isNumber });

const isNodeRef = (value: unknown): value is NodeRef =>
  hasFields(value, { name: isText, uid: isText, instanceId: isText, zone: isText });

const isGivenUp = (value: unknown): value is HandOverCheckpoint['evictedInstead'][number] =>
  hasFields(value, { workload: isText, reason: isText });

const isBaseline = (value: unknown): value is ServiceBaseline =>
  hasFields(value, { service: isText, targets: isNumber, endpoints: isNumber, missing: isNumber, zones: isTextList });

const isStandStill = (value: unknown): value is CapacityWait => hasFields(value, { since: isNumber, ready: isNumber });

const isOutlook = (value: unknown): value is Outlook => hasFields(value, { nodes: isTextList });

const isKeptOut = (value: unknown): value is ExclusionState =>
  hasFields(value, {
    labelledAt: isNumber,
    externalChanges: (acts: unknown) => listOf(acts, isForeignAct) !== undefined,
  });
