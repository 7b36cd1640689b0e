import { createHash } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunStatus } from '../../core/status/status.ts';
import type { TemporalConnection } from '../connect.ts';
import { askInBatches } from '../in-batches.ts';
import { isPolled } from '../worker-presence.ts';
import { ownEvents } from './end-events.ts';
import { type Execution, type HistoryEvent, numberOf, readHistory, timeOf } from './history.ts';
import { createPoolReader } from './pool-events.ts';
import type { Happening, LoggedEvent } from './run-event.ts';
import { createStepReader } from './step-events.ts';

/** The events of one run, from the histories of its workflow and of the workflows of its nodes. */
export interface RunLog {
  /** Temporal's ID of the run. */
  readonly runId: string;
  /** The events since the last call, oldest first. */
  readonly read: () => Promise<{ readonly events: readonly LoggedEvent[]; readonly hasEnded: boolean }>;
}

/** A history that is read bit by bit. */
interface Source {
  readonly execution: Execution;
  readonly node?: string;
  readonly readEvent: (event: HistoryEvent) => readonly Happening[];
  /** The number of the last event that was read. */
  after: number;
  /** Nothing can follow. */
  isOver: boolean;
}

/** Opens the log of a run. It is only read; a run that has ended, and one whose worker is gone, are read all the same. */
export async function openRunLog(connection: TemporalConnection, handle: WorkflowHandle): Promise<RunLog> {
  const { workflowId, runId, taskQueue } = await connection.within(() => handle.describe());
  const pinned = connection.client.workflow.getHandle(workflowId, runId);
  const reader = createPoolReader();
  const own: Source = { execution: { workflowId, runId }, readEvent: reader.read, after: 0, isOver: false };
  const nodes = new Map<string, Source>();
  const record = createRecorder(workflowId, reader.run);
  /** What was read and not returned yet: a later call may fail. */
  let pending: ReadEvent[] = [];

  function add(happenings: readonly Happening[], told: Told): void {
    pending.push(...record(happenings, told).map((event) => ({ event, toldBy: told.node ?? '' })));
  }

  async function readNew(source: Source): Promise<void> {
    if (source.isOver) return;
    for (const event of await readHistory(connection, source.execution, source.after)) {
      source.after = numberOf(event);
      const told = { node: source.node, at: timeOf(event), key: keyOf(source, event) };
      add(source.readEvent(event), told);
    }
  }

  async function readNodes(): Promise<void> {
    const started = reader.children().filter((child) => child.runId !== '');
    await askInBatches(started, async ({ node, hasEnded, ...execution }) => {
      const source = nodes.get(execution.runId) ?? {
        execution,
        node,
        readEvent: createStepReader(),
        after: 0,
        isOver: false,
      };
      nodes.set(execution.runId, source);
      await readNew(source);
      source.isOver = hasEnded;
    });
  }

  /** What no step has answered. A worker has to tell it while the run goes on; without one it is told when the run ends. */
  async function readOwnEvents(): Promise<void> {
    if (!(await isPolled(connection, taskQueue))) return;
    const status = await connection.within(() => pinned.query<RunStatus>('status')).catch(() => undefined);
    if (status !== undefined) add(ownEvents(status), { node: undefined, at: Date.now(), key: '' });
  }

  return {
    runId,
    read: async () => {
      const { status } = await connection.within(() => pinned.describe());
      const hasEnded = status.name !== 'RUNNING';
      await readNew(own);
      await readNodes();
      if (!hasEnded && pending.length > 0) await readOwnEvents();
      const events = pending.toSorted(compareRead).map(({ event }) => event);
      pending = [];
      return { events, hasEnded };
    },
  };
}

/** An event, and the node whose history tells it; none for that of the run. */
interface ReadEvent {
  readonly event: LoggedEvent;
  readonly toldBy: string;
}

/** By time. Of the same moment in several histories that of the run comes first, then by node: whichever was read first is chance. */
function compareRead(a: ReadEvent, b: ReadEvent): number {
  return a.event.at - b.event.at || a.toldBy.localeCompare(b.toldBy);
}

function keyOf({ execution }: Source, event: HistoryEvent): string {
  return `${execution.runId}/${numberOf(event)}`;
}

/** Where something was told: when (epoch ms), by the history of which node, and by which event. */
interface Told {
  readonly node: string | undefined;
  readonly at: number;
  readonly key: string;
}

/** Makes events of what has happened. What was told already is left out: a report repeats what its steps have answered. */
function createRecorder(workflowId: string, run: () => string) {
  const [, cluster = '', pool = ''] = workflowId.split('/');
  const known = new Set<string>();
  return (happenings: readonly Happening[], told: Told): readonly LoggedEvent[] =>
    happenings.flatMap(({ observedAt, ...happening }, index) => {
      const named = happening.node ?? told.node;
      const node = named === undefined ? {} : { node: named };
      const at = observedAt ?? told.at;
      const id =
        observedAt === undefined
          ? `${told.key}${index === 0 ? '' : `.${index}`}`
          : `${at}/${digest(happening.message)}`;
      if (known.has(id)) return [];
      known.add(id);
      return [{ id, at, cluster, pool, run: run(), ...happening, ...node }];
    });
}

/** The same text has the same name wherever it is read. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
