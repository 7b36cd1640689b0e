import { WorkflowNotFoundError } from '@temporalio/client';
import { poolUpgradeId, searchAttributes } from '../../workflows/messages.ts';
import type { TemporalConnection } from '../connect.ts';
import { isNoAnswer, noTemporal } from '../no-answer.ts';
import type { RunTarget } from '../run-target.ts';
import { type Launch, readLaunches } from './launches.ts';
import type { Openings } from './openings.ts';
import { readOpenings } from './read-openings.ts';
import { readSchedule, type StoredSchedule } from './schedules.ts';

/** A schedule as a client observes it. All times are epoch ms. */
export interface SeenSchedule extends RunTarget {
  readonly scheduleId: string;
  /** The pool that its upgrade creates. */
  readonly newPool: string;
  readonly version?: string;
  readonly paused: boolean;
  /** Who paused or resumed it last, and why; or Temporal's own words after a launch that failed. */
  readonly note?: string;
  readonly openings: Openings;
  /** The last launches, the latest first. */
  readonly launches: readonly Launch[];
  /** The upgrade of the pool that is under way, whoever has started it. */
  readonly run?: RunUnderWay;
  readonly taskQueue: string;
  readonly createdAt: number;
  readonly updatedAt?: number;
  /** How many openings were missed because Temporal was down for longer than a window lasts. */
  readonly missed: number;
  /** How many openings started nothing because the launch before was still running. */
  readonly skipped: number;
}

/** An upgrade that is under way. */
export interface RunUnderWay {
  readonly workflowId: string;
  /** Absent until its workflow has published one. */
  readonly phase?: string;
  readonly isStalled: boolean;
}

/**
 * Reads a schedule, its last launches, and the upgrade of its pool that is under way. No worker is needed.
 * @throws NodeferryError PoolNotFound without a schedule
 */
export async function fetchSchedule(
  connection: TemporalConnection,
  target: RunTarget,
  now: number,
): Promise<SeenSchedule> {
  return await seeSchedule(connection, target, await readSchedule(connection, target), now);
}

async function seeSchedule(
  connection: TemporalConnection,
  target: RunTarget,
  { description, policy }: StoredSchedule,
  now: number,
): Promise<SeenSchedule> {
  const { info, state, action } = description;
  const { poolName, version } = policy.target;
  const [openings, launches, run] = await Promise.all([
    readOpenings(policy, now),
    readLaunches(connection, info.recentActions),
    findRun(connection, target),
  ]);
  return {
    scheduleId: description.scheduleId,
    ...target,
    newPool: poolName,
    ...(version === undefined ? {} : { version }),
    paused: state.paused,
    ...(state.note ? { note: state.note } : {}),
    openings,
    launches,
    ...(run === undefined ? {} : { run }),
    taskQueue: action.taskQueue,
    createdAt: info.createdAt.getTime(),
    ...(info.lastUpdatedAt === undefined ? {} : { updatedAt: info.lastUpdatedAt.getTime() }),
    missed: info.numActionsMissedCatchupWindow,
    skipped: info.numActionsSkippedOverlap,
  };
}

/** The upgrade of a pool that is under way, whoever has started it. */
export async function findRun(
  connection: TemporalConnection,
  { cluster, pool }: RunTarget,
): Promise<RunUnderWay | undefined> {
  const workflowId = poolUpgradeId(cluster, pool);
  try {
    const { status, typedSearchAttributes: known } = await connection.within(() =>
      connection.client.workflow.getHandle(workflowId).describe(),
    );
    if (status.name !== 'RUNNING') return undefined;
    const phase = known.get(searchAttributes.phase);
    return {
      workflowId,
      ...(phase === undefined ? {} : { phase }),
      isStalled: known.get(searchAttributes.stalled) === true,
    };
  } catch (cause) {
    if (cause instanceof WorkflowNotFoundError) return undefined;
    throw isNoAnswer(cause) ? noTemporal(cause) : cause;
  }
}
