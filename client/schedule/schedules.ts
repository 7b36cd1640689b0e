import { ScheduleAlreadyRunning, type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client';
import { NodeferryError } from '../../core/model/problem.ts';
import { scheduleId, searchAttributes, workflowTypes } from '../../workflows/messages.ts';
import type { TemporalConnection } from '../connect.ts';
import { isNoAnswer, noTemporal } from '../no-answer.ts';
import { answerUnlessInterrupted } from '../output/interrupt.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import type { ScheduleSettings } from './schedule-settings.ts';
import type { ScheduledPolicy } from './scheduled-policy.ts';

/** A schedule as Temporal has it. */
export interface StoredSchedule {
  readonly description: ScheduleDescription;
  /** What its launchers are started with. */
  readonly policy: ScheduledPolicy;
}

/** @throws NodeferryError Conflict when the pool has a schedule already */
export async function createSchedule(
  connection: TemporalConnection,
  target: RunTarget,
  settings: ScheduleSettings,
  state: { readonly paused: boolean; readonly note: string },
): Promise<void> {
  const id = scheduleId(target.cluster, target.pool);
  await guarded(target, 'was created', () =>
    connection.within(() => connection.client.schedule.create({ scheduleId: id, ...settings, state })),
  );
}

/** Replaces the settings of a schedule. It stays paused if it is, and keeps its note. */
export async function replaceSchedule(
  connection: TemporalConnection,
  target: RunTarget,
  settings: ScheduleSettings,
): Promise<void> {
  await guarded(target, 'was updated', () =>
    connection.within(() => handleOf(connection, target).update(({ state }) => ({ ...settings, state }))),
  );
}

/** @throws NodeferryError PoolNotFound without a schedule, Conflict for one that somebody else has created */
export async function readSchedule(connection: TemporalConnection, target: RunTarget): Promise<StoredSchedule> {
  const description = await guarded(target, undefined, () =>
    connection.within(() => handleOf(connection, target).describe()),
  );
  const policy = policyOf(description);
  if (policy !== undefined) return { description, policy };
  throw new NodeferryError({
    code: 'Conflict',
    message: `The schedule ${description.scheduleId} was not created by nodeferry: it starts ${description.action.workflowType}.`,
    hint: `Delete it, then create it anew: temporal schedule delete --schedule-id ${description.scheduleId}`,
  });
}

/** The same, but undefined without a schedule. */
export async function findSchedule(
  connection: TemporalConnection,
  target: RunTarget,
): Promise<StoredSchedule | undefined> {
  try {
    return await readSchedule(connection, target);
  } catch (error) {
    if (error instanceof NodeferryError && error.problem.code === 'PoolNotFound') return undefined;
    throw error;
  }
}

/**
 * The pools that have a schedule, of one cluster or of all, in the order of their names. The index that Temporal asks for them is a moment
 * late, so a schedule that was just created or deleted may be missing or still be there.
 */
export async function listSchedules(
  connection: TemporalConnection,
  cluster: string | undefined,
): Promise<readonly RunTarget[]> {
  const { name } = searchAttributes.cluster;
  const query = cluster === undefined ? `${name} IS NOT NULL` : `${name} = "${cluster.replaceAll(/["\\]/g, '\\$&')}"`;
  const targets: RunTarget[] = [];
  try {
    await connection.within(async () => {
      for await (const { action, typedSearchAttributes: found } of connection.client.schedule.list({ query })) {
        const [of, pool] = [found?.get(searchAttributes.cluster), found?.get(searchAttributes.pool)];
        if (action?.workflowType !== workflowTypes.windowLauncher || of === undefined || pool === undefined) continue;
        targets.push({ cluster: of, pool });
      }
    });
  } catch (cause) {
    throw isNoAnswer(cause) ? noTemporal(cause) : cause;
  }
  return targets.toSorted((a, b) => (formatRunTarget(a) < formatRunTarget(b) ? -1 : 1));
}

/** Pauses a schedule. `note` says who and why, and replaces the note that it had. */
export async function pauseSchedule(connection: TemporalConnection, target: RunTarget, note: string): Promise<void> {
  await guarded(target, 'was paused', () => connection.within(() => handleOf(connection, target).pause(note)));
}

/** Ends a pause. `note` says who and why, and replaces the note that it had. */
export async function resumeSchedule(connection: TemporalConnection, target: RunTarget, note: string): Promise<void> {
  await guarded(target, 'was resumed', () => connection.within(() => handleOf(connection, target).unpause(note)));
}

/** Starts a launcher now, unless one is running. Without SKIP the SDK would ask for one beside it. */
export async function triggerSchedule(connection: TemporalConnection, target: RunTarget): Promise<void> {
  await guarded(target, 'was triggered', () => connection.within(() => handleOf(connection, target).trigger('SKIP')));
}

/** Deletes a schedule. What it has started continues. */
export async function deleteSchedule(connection: TemporalConnection, target: RunTarget): Promise<void> {
  await guarded(target, 'was deleted', () => connection.within(() => handleOf(connection, target).delete()));
}

function handleOf({ client }: TemporalConnection, { cluster, pool }: RunTarget) {
  return client.schedule.getHandle(scheduleId(cluster, pool));
}

/** Undefined for a schedule that does not start launchers of upgrades. */
function policyOf({ action }: ScheduleDescription): ScheduledPolicy | undefined {
  const input: unknown = action.workflowType === workflowTypes.windowLauncher ? action.args?.[0] : undefined;
  if (typeof input !== 'object' || input === null || !('policy' in input)) return undefined;
  const { policy } = input;
  return typeof policy === 'object' && policy !== null && 'schedule' in policy
    ? (policy as ScheduledPolicy)
    : undefined;
}

/** `done` is what may have happened when Temporal does not answer, undefined for a call that changes nothing. */
async function guarded<T>(target: RunTarget, done: string | undefined, call: () => Promise<T>): Promise<T> {
  const name = formatRunTarget(target);
  const unknown = `Whether the schedule of ${name} ${done} is not known.`;
  const see = `nodeferry schedule describe ${name}`;
  try {
    if (done === undefined) return await call();
    return await answerUnlessInterrupted(call(), `Interrupted. ${unknown}\nSee: ${see}`);
  } catch (cause) {
    if (cause instanceof ScheduleNotFoundError) {
      throw new NodeferryError(
        {
          code: 'PoolNotFound',
          message: `There is no schedule for ${name}.`,
          hint: 'See which there are: nodeferry schedule list   or create it: nodeferry schedule create -f policy.yaml',
        },
        { cause },
      );
    }
    if (cause instanceof ScheduleAlreadyRunning) {
      throw new NodeferryError(
        {
          code: 'Conflict',
          message: `There is a schedule for ${name} already; nothing was changed.`,
          hint:
            'See it: nodeferry schedule describe ' + name + '   or update it: nodeferry schedule apply -f policy.yaml',
        },
        { cause },
      );
    }
    if (!isNoAnswer(cause)) throw cause;
    if (done === undefined) throw noTemporal(cause);
    throw new NodeferryError(
      {
        code: 'TemporalUnreachable',
        message: `Temporal does not answer any more. ${unknown}`,
        hint: `Once Temporal answers, see: ${see}`,
      },
      { cause },
    );
  }
}
