/** Everything that an upgrade needs: lab, Temporal, a worker inside the lab, a client, and traffic. */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectTemporalAt, type TemporalConnection } from '../client/connect.ts';
import type { GkeLab } from '../lab/gke-lab.ts';
import type { Lab } from '../lab/lab.ts';
import { NAMESPACES } from '../lab/network-plan.ts';
import { ended, stop } from '../lab/process.ts';
import type { LabOptions, RunningLab } from '../lab/running-lab.ts';
import type { GkeScenario, Scenario } from '../lab/scenario.ts';
import { insideTrafficFile } from '../lab/scenarios/parts.ts';
import { DEFAULT_VOLUME, loadBalancerUrls, outsideTraffic, type TrafficVolume } from '../lab/traffic/config.ts';
import { followTraffic, startTraffic, type Traffic } from '../lab/traffic/traffic.ts';
import { LAB_NAME } from '../lab/which.ts';
import { toolPaths } from '../scripts/setup/paths.ts';
import { startTemporal } from './temporal.ts';

const workerMain = fileURLToPath(new URL('../worker/main.ts', import.meta.url));

/** Prefix of the folders in which sessions keep the logs and the database of Temporal and the worker. */
export const SESSION_FOLDER = `${LAB_NAME}-`;

/** A lab under traffic with nodeferry ready to work. */
export interface Session<SessionLab extends RunningLab = Lab> {
  readonly lab: SessionLab;
  readonly temporal: { readonly address: string; readonly uiUrl: string };
  readonly connection: TemporalConnection;
  /** Folder with the logs of Temporal and the worker; deleted on close. */
  readonly directory: string;
  /** The probers: one outside, one in a pod. */
  readonly traffic: readonly Traffic[];
  startWorker(): void;
  /** Sends SIGKILL, like a crash; resolves once the process is gone. */
  killWorker(): Promise<void>;
  close(): Promise<void>;
}

/** A session on whatever cloud. */
export type AnySession = Session<RunningLab>;

/** How to open a session. */
interface SessionOptions {
  readonly onProgress?: (text: string) => void;
  readonly signal?: AbortSignal;
  readonly volume?: TrafficVolume;
}

/** Opens a session on AWS and resolves once traffic has flowed without a loss for a few seconds. */
export async function openSession(scenario: Scenario, options: SessionOptions = {}): Promise<Session> {
  const { startLab } = await import('../lab/lab.ts');
  return await openSessionIn((at) => startLab(scenario, at), options);
}

/** The same on Google. */
export async function openGkeSession(scenario: GkeScenario, options: SessionOptions = {}): Promise<Session<GkeLab>> {
  const { startGkeLab } = await import('../lab/gke-lab.ts');
  return await openSessionIn((at) => startGkeLab(scenario, at), options);
}

async function openSessionIn<SessionLab extends RunningLab>(
  startLab: (options: LabOptions) => Promise<SessionLab>,
  options: SessionOptions,
): Promise<Session<SessionLab>> {
  const report = options.onProgress ?? (() => undefined);
  const directory = await mkdtemp(join(tmpdir(), SESSION_FOLDER));
  const undo: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed())
      await step().catch((error: unknown) => report(`while closing: ${String(error)}`));
  };
  try {
    const startingTemporal = startTemporal(directory);
    // Registered from here on: otherwise a lab that is interrupted while it starts would leave the server behind.
    undo.push(async () => (await startingTemporal).stop());
    startingTemporal.catch(() => undefined);
    const lab = await startLab({
      onProgress: report,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    undo.push(() => lab.stop());
    const temporal = await startingTemporal;
    report(`Temporal answers at ${temporal.address}, its web UI is at ${temporal.uiUrl}`);
    const [host = '', port = ''] = temporal.address.split(':');
    await lab.forwardTemporal({ host, port: Number(port) });
    const connection = await connectTemporalAt({ address: temporal.address, namespace: 'default' });
    undo.push(() => connection.close());
    const worker = workerProcess(lab, directory);
    worker.startWorker();
    undo.push(() => worker.stopWorker());
    const traffic = await startAllTraffic(lab, options.volume ?? DEFAULT_VOLUME);
    undo.push(...traffic.map((one) => () => one.stop()));
    await Promise.all(traffic.map((one) => one.waitUntilClean(5)));
    report('traffic flows without a loss');
    return { lab, temporal, connection, directory, traffic, ...worker, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startAllTraffic(lab: RunningLab, volume: TrafficVolume): Promise<readonly Traffic[]> {
  const services = await lab.waitForTraffic();
  const targets = services.map((service) => ({
    name: service.name,
    urls: loadBalancerUrls(
      service.vips.map((vip) => vip.address),
      service.port,
    ),
  }));
  const outside = startTraffic({
    prober: toolPaths().prober,
    namespace: NAMESPACES.client,
    config: outsideTraffic(targets, volume),
  });
  return [outside, followTraffic(insideTrafficFile(lab.sharedFolder))];
}

function workerProcess(lab: RunningLab, directory: string) {
  let child: ChildProcess | undefined;
  return {
    startWorker(): void {
      child = lab.spawnInOps(process.execPath, [workerMain], {
        log: join(directory, 'worker.log'),
        // The lab's delays are far shorter than a cloud's, and so are the intervals of its policies: they take several times the calls.
        env: { NODEFERRY_ELB_RATE: '20', NODEFERRY_GCE_RATE: '50' },
      });
    },
    async killWorker(): Promise<void> {
      child?.kill('SIGKILL');
      if (child) await ended(child);
    },
    async stopWorker(): Promise<void> {
      if (child) await stop(child, 10_000);
    },
  };
}
