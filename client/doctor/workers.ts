import { versionOfWorker } from '../../core/connection/worker-identity.ts';
import { compareText, count, listNames } from '../../core/text/format.ts';
import { defaultTaskQueue, longQueue } from '../../workflows/messages.ts';
import type { TemporalConnection } from '../connect.ts';
import { readPollers } from '../worker-presence.ts';
import type { Check } from './check.ts';

/** What workers have to receive, and who has asked for it within the last five minutes. */
interface Polled {
  readonly what: string;
  readonly identities: readonly string[];
}

/** Checks that workers poll for everything that runs need, and that they are of this version. */
export async function checkWorkers(
  connection: TemporalConnection,
  { taskQueue, version }: { readonly taskQueue: string; readonly version: string },
): Promise<readonly Check[]> {
  const long = longQueue(taskQueue);
  const polled: readonly Polled[] = await Promise.all(
    [
      { what: `workflows of task queue ${taskQueue}`, identities: readPollers(connection, taskQueue, 'workflows') },
      { what: `activities of task queue ${taskQueue}`, identities: readPollers(connection, taskQueue, 'activities') },
      { what: `activities of task queue ${long}`, identities: readPollers(connection, long, 'activities') },
    ].map(async ({ what, identities }) => ({ what, identities: await identities })),
  );
  const workers = [...new Set(polled.flatMap(({ identities }) => identities))].toSorted(compareText);
  return [...reportPollers(polled, { taskQueue, workers }), ...reportVersions(workers, version)];
}

function reportPollers(
  polled: readonly Polled[],
  { taskQueue, workers }: { readonly taskQueue: string; readonly workers: readonly string[] },
): readonly Check[] {
  const id = 'workers.pollers';
  const start =
    taskQueue === defaultTaskQueue ? 'nodeferry worker' : `NODEFERRY_TASK_QUEUE=${taskQueue} nodeferry worker`;
  const fix = `Start a worker, or read the logs of those that run:\n${start}`;
  if (workers.length === 0)
    return [{ id, state: 'failed', found: `no worker has polled task queue ${taskQueue} within five minutes`, fix }];
  const unserved = polled.filter(({ identities }) => identities.length === 0);
  if (unserved.length > 0)
    return unserved.map(({ what }) => ({ id, state: 'failed', found: `no worker asks for ${what}`, fix }));
  const found = `${count(workers.length, 'worker')} polled task queue ${taskQueue} within five minutes: ${listNames(workers)}`;
  return [{ id, state: 'ok', found }];
}

function reportVersions(workers: readonly string[], version: string): readonly Check[] {
  const id = 'workers.versions';
  if (workers.length === 0) return [{ id, state: 'unknown', found: 'there is no worker' }];
  const others = workers.filter((identity) => versionOfWorker(identity) !== version);
  if (others.length === 0) return [{ id, state: 'ok', found: `all are of version ${version}, as this command` }];
  const versions = [...new Set(others.map((identity) => versionOfWorker(identity) ?? 'unknown'))].toSorted(compareText);
  return [
    {
      id,
      state: 'warning',
      found: `${others.length} of ${workers.length} are not of this command's version ${version}, but ${versions.join(', ')}`,
      fix: 'Update whichever is older. A worker that was just updated is remembered under its old version for five minutes.',
    },
  ];
}
