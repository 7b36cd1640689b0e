/** A Temporal development server for the lab: real server, in-memory database, loopback only. */
import { join } from 'node:path';
import { freePorts, startOnFreePorts } from '../lab/free-ports.ts';
import { attempt, isRunning, StopWaiting, start, stop, until } from '../lab/process.ts';
import { toolPaths } from '../scripts/setup/paths.ts';
import { searchAttributeFlags } from '../workflows/messages.ts';

/** A running Temporal server. */
interface LabTemporal {
  /** `127.0.0.1:port`, for clients in the root namespace. */
  readonly address: string;
  readonly uiUrl: string;
  stop(): Promise<void>;
}

/** Starts a server on free ports and resolves once it answers; its log is written to `<directory>/temporal.log`. */
export async function startTemporal(directory: string): Promise<LabTemporal> {
  const log = join(directory, 'temporal.log');
  return await startOnFreePorts(`the Temporal server (see ${log})`, () => startOnce(log));
}

async function startOnce(log: string): Promise<LabTemporal | undefined> {
  const temporal = toolPaths().temporal;
  const [port, uiPort] = await freePorts(2);
  const address = `127.0.0.1:${port}`;
  const server = start(
    temporal,
    [
      'server',
      'start-dev',
      '--ip=127.0.0.1',
      `--port=${port}`,
      `--ui-port=${uiPort}`,
      '--log-level=warn',
      ...searchAttributeFlags(),
    ],
    { log },
  );
  const answers = async () => {
    if (!isRunning(server)) throw new StopWaiting('the Temporal server has ended');
    const { code } = await attempt(temporal, ['operator', 'cluster', 'health', '--address', address]);
    return code === 0 ? true : undefined;
  };
  try {
    await until(answers, { what: 'the Temporal server does not answer', timeoutMs: 30_000 });
  } catch (error) {
    await stop(server, 5000);
    if (error instanceof StopWaiting) return undefined;
    throw error;
  }
  return { address, uiUrl: `http://127.0.0.1:${uiPort}`, stop: () => stop(server, 5000) };
}
