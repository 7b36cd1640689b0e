import type { Connection } from '@temporalio/client';
import { Client } from '@temporalio/client';
import { formatDuration } from '../../core/text/format.ts';
import { statusQuery } from '../../workflows/messages.ts';
import type { World } from '../simulator/world.ts';
import type { OpenEnds } from './open-ends.ts';
import type { WatchedHandles } from './watched-handles.ts';

/** A server that has not answered by then, ms, is told of as such. */
const answersWithinMs = 5_000;

/** So many of the last things that happened in the world are told. */
const lastWords = 20;

/** Tells, in words, who waits for what in a world and its workflows; undefined when all workflows have ended. */
export function createWhatIsLeft(
  { clock, log }: World,
  { connection, ends, handles }: { connection: Connection; ends: OpenEnds; handles: WatchedHandles },
): () => Promise<string | undefined> {
  const client = new Client({ connection });
  const begunAt = clock.now();

  async function statusOf(workflowId: string): Promise<string> {
    const asked = connection.withDeadline(Date.now() + answersWithinMs, async () => {
      return await client.workflow.getHandle(workflowId).query(statusQuery);
    });
    return `${workflowId}: ${JSON.stringify(await asked.catch(String))}`;
  }

  return async () => {
    const open = ends.openRuns();
    if (open.length === 0) return undefined;
    return [
      `virtual time: ${formatDuration(clock.now() - begunAt)}; it stands still: ${clock.whyStill() ?? 'no'}`,
      `the test waits for: ${handles.underWay().join(', ') || 'nothing'}`,
      ...(await Promise.all(open.map(async ({ workflowId }) => await statusOf(workflowId)))),
      'what happened last in the world:',
      ...log.slice(-lastWords),
    ].join('\n');
  };
}
