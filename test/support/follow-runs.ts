import type { WorkflowHandle } from '@temporalio/client';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { type PoolUpgradeInput, statusQuery } from '../../workflows/messages.ts';
import type { World } from '../simulator/world.ts';
import type { WatchedHandles } from './watched-handles.ts';

/** The shape of the workflow, for typed handles. */
export type UpgradeFunction = (input: PoolUpgradeInput) => Promise<RunReport>;

/** Ways to wait for a run. */
export interface FollowRuns {
  /**
   * Waits, in real time, until the run's status satisfies. Virtual time goes on meanwhile as far as steps let it, but no further than
   * `maxBlinkMs` between two observations.
   */
  readonly until: (
    handle: WorkflowHandle<UpgradeFunction>,
    what: string,
    holds: (status: RunStatus) => boolean,
  ) => Promise<RunStatus>;
  /** Waits for the report; fails at once, and says why, when the run waits for an operator instead. */
  readonly finish: (handle: WorkflowHandle<UpgradeFunction>) => Promise<RunReport>;
}

/** Real ms between two observations at a run's status. */
const pollIntervalMs = 20;

/** Follows the runs of one world; whoever waits fails when the handles are closed. */
export function createFollowRuns({ clock, log }: World, handles: WatchedHandles): FollowRuns {
  const until: FollowRuns['until'] = async (handle, what, holds) => {
    const onlooker = clock.onlooker(`whoever waits for '${what}'`);
    try {
      for (;;) {
        const status = await handle.query(statusQuery);
        if (holds(status)) return status;
        if (handles.closed()) throw new Error(`never: ${what}; status is ${JSON.stringify(status, undefined, 1)}`);
        onlooker.observed();
        await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
      }
    } finally {
      onlooker.leave();
    }
  };

  const finish: FollowRuns['finish'] = async (handle) => {
    const result = handle.result();
    let over = false;
    let since: number | undefined;
    const standing = until(handle, 'the run stands still', ({ phase, stalled, paused }) => {
      if (over) return true;
      const waits = phase !== 'failed' && (stalled !== undefined || paused !== undefined);
      since = waits ? (since ?? clock.now()) : undefined;
      // What a test pauses and resumes between two moments of virtual time goes on.
      return since !== undefined && clock.now() > since;
    });
    const stuck = standing.then(async (status) => {
      if (over) return await result;
      throw new Error(`the run stands still: ${JSON.stringify(status, undefined, 1)}\n${log.join('\n')}`);
    });
    try {
      return await Promise.race([result, stuck]);
    } finally {
      over = true;
    }
  };

  return {
    until: (handle, what, holds) => handles.call(`until '${what}'`, until(handle, what, holds)),
    finish: (handle) => handles.call(`the end of ${handle.workflowId}`, finish(handle)),
  };
}
