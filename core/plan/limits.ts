import type { Policy } from '../policy/policy.ts';
import { maxPayloadBytes } from '../text/bytes.ts';

/** Maximum number of nodes given to the guard at a time: far more than may be out together, and little history with hundreds of nodes. */
export const maxCandidates = 50;

/** Maximum number of nodes given to a pod surge: enough for a batch of as many nodes as may be in flight. */
export function maxNodesToSurge({ guard }: Pick<Policy, 'guard'>): number {
  return Math.max(maxCandidates, guard.maxInFlight);
}

/** What a run needs of Temporal. */
export interface RunSize {
  /** Events in the history of the pool's workflow. */
  readonly events: number;
  /** Size of that history, bytes. */
  readonly historyBytes: number;
  /** Size of the largest payload: the plan, or the report at the end. */
  readonly payloadBytes: number;
}

/**
 * The most that a run may need so that it can end whatever happens: no run continues in a new history. Temporal ends a workflow with 51,200
 * events or 50 MB of history, and accepts no payload above 2 MB (temporalio/temporal, common/dynamicconfig/constants.go:
 * `limit.historyCount.error`, `limit.historySize.error`, `limit.blobSize.error`). The limit for events is lower because a worker that takes over
 * must replay them within the 10 s of a workflow task: 12,005 of them took 9 s on two cores. The other limits leave half, or a quarter, for nodes
 * that were restored and are replaced again, for resumes, and for external changes.
 */
export const limits: RunSize = { events: 10_000, historyBytes: 25_000_000, payloadBytes: maxPayloadBytes };

/**
 * Measured on recorded histories: what a run needs without any node, what its traffic monitor adds in a day (fifty reports of six events), what
 * each node adds (9.6 with sixty nodes, 12 with three), what each further wave of new nodes adds (24, with pod surge 31), and what each further
 * pod surge adds (11 to 14; with a node in each, 23 for both).
 */
export const eventsOf = { fixed: 150, watched: 300, perNode: 12, perWave: 32, perPodSurge: 14 } as const;

/** What Temporal itself writes into an event, bytes: times, identities, options of a step. */
export const bytesPerEvent = 300;

/** What is recorded of one node, bytes: its evidence and names in the report, and what of that exists when it is excluded. */
export const nodeBytes = { reported: 2_200, replacing: 700 } as const;
