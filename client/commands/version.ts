import { setTimeout as delay } from 'node:timers/promises';
import { readVersion } from '../../adapters/package/version.ts';
import { versionOfWorker } from '../../core/connection/worker-identity.ts';
import { NodeferryError, type Problem } from '../../core/model/problem.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { taskQueue } from '../task-queue.ts';

/** How long Temporal may take to answer, ms. */
const patienceMs = 5_000;
/** How much of that the connection may take, so that there is time to report what prevents it. */
const connectWithinMs = 3_000;

/** The versions of everything that answers. */
export interface Versions {
  readonly version: string;
  /** Node.js that runs this command. */
  readonly node: string;
  readonly server?: { readonly address: string; readonly version: string };
  /** Workers that have polled within the last minutes. The version is absent if a worker does not report it. */
  readonly workers?: readonly { readonly identity: string; readonly version?: string }[];
  /** Why the server and the workers are not known. */
  readonly problem?: Problem;
}

/** Options of `version`. */
interface VersionOptions {
  readonly output: OutputFormat;
  /** Also asks the server, which takes five times as long. */
  readonly server: boolean;
}

/**
 * Prints the version of this command; for programs, or if asked to, also those of the server and of the workers. Its own is known even if nothing
 * else answers.
 */
export async function versionCommand({ output, server }: VersionOptions): Promise<void> {
  const own = { version: readVersion(), node: process.version };
  const versions: Versions = { ...own, ...(server || output !== 'table' ? await askOthers() : {}) };
  printData(output, versions, () => renderVersions(versions).join('\n'));
  for (const warning of warnOfVersions(versions)) printProgress(warning);
}

/** A failure is only reported: the command has what it was mainly asked for, its own version. */
async function askOthers(): Promise<Pick<Versions, 'server' | 'workers' | 'problem'>> {
  // Loading takes as long as it takes on a busy computer. Only the server's time is limited.
  await import('@temporalio/client');
  const inTime = new AbortController();
  const tooLate = delay(patienceMs, undefined, { signal: inTime.signal }).then(() => ({ problem: silent }));
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([ask(), tooLate]);
  } catch (error) {
    if (error instanceof NodeferryError) return { problem: error.problem };
    return { problem: { ...silent, message: error instanceof Error ? error.message : String(error) } };
  } finally {
    inTime.abort();
  }
}

const silent: Problem = {
  code: 'TemporalUnreachable',
  message: `Temporal did not answer within ${patienceMs / 1_000} s`,
  hint: 'Is the server running, and TEMPORAL_ADDRESS its address?',
};

async function ask(): Promise<Pick<Versions, 'server' | 'workers'>> {
  const { connectTemporal } = await import('../connect.ts');
  const { readPollers } = await import('../worker-presence.ts');
  const connection = await connectTemporal(connectWithinMs);
  try {
    const { address, client } = connection;
    const { serverVersion } = await connection.within(() => client.workflowService.getSystemInfo({}));
    const workers = (await readPollers(connection, taskQueue())).map((identity) => {
      const version = versionOfWorker(identity);
      return { identity, ...(version === undefined ? {} : { version }) };
    });
    return { server: { address, version: serverVersion }, workers };
  } finally {
    await connection.close();
  }
}

/** Pure: everything that is known, in lines. */
export function renderVersions({ version, node, server, workers, problem }: Versions): readonly string[] {
  const own = `nodeferry ${version} (Node.js ${node})`;
  if (problem !== undefined) return [own, `server: not known: ${problem.message}`];
  return [
    own,
    ...(server === undefined ? [] : [`Temporal server ${server.version} at ${server.address}`]),
    ...(workers?.length === 0 ? ['no worker has asked for work within the last minutes'] : []),
    ...(workers ?? []).map((worker) => `worker ${worker.version ?? 'of an unknown version'} (${worker.identity})`),
  ];
}

/** Pure: versions that do not match. */
export function warnOfVersions({ version, workers = [] }: Versions): readonly string[] {
  const others = workers.filter((worker) => worker.version !== version);
  if (others.length === 0) return [];
  const found = [...new Set(others.map((worker) => worker.version ?? 'unknown'))].join(', ');
  return [
    `warning: ${others.length} of ${workers.length} workers are not of version ${version}, but ${found}: update whichever is older`,
  ];
}
