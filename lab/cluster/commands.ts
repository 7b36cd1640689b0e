/** The commands of the lab. A lab lives in its own process, the host, which outlives `up`. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureTools } from '../../scripts/setup/ensure.ts';
import { until } from '../process.ts';
import type { LabStatus } from '../running-lab.ts';
import { scenarioByName } from '../scenarios/catalog.ts';
import { removeLeftovers } from './cleanup.ts';
import { askLab, takeLock } from './lock.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const DOWN_TIMEOUT_MS = 60_000;

/** From the host to `up`, over the channel between parent and child. */
type HostMessage =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'ready'; readonly status: LabStatus }
  | { readonly kind: 'failed'; readonly text: string };

/** Starts a host and returns when its lab can take traffic; Ctrl-C takes everything down again. */
export async function labUp(scenario: string): Promise<void> {
  const google = 'cloud' in scenarioByName(scenario);
  await ensureTools({
    need: ['packages', 'agents', 'kubernetes', 'temporal', ...(google ? (['google-controllers'] as const) : [])],
  });
  const began = Date.now();
  const host = fork(MAIN, ['host', scenario], { detached: true, stdio: 'ignore' });
  let interrupted = false;
  const interrupt = (): void => {
    interrupted = true;
    host.kill('SIGTERM');
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  let outcome: 'ready' | 'failed' | undefined;
  host.on('message', (message: HostMessage) => {
    const elapsed = `${((Date.now() - began) / 1000).toFixed(1)} s`.padStart(7);
    switch (message.kind) {
      case 'progress':
        process.stderr.write(`${elapsed}  ${message.text}\n`);
        return;
      case 'ready':
        outcome = 'ready';
        process.stderr.write(`${elapsed}  the lab is ready\n\n`);
        process.stdout.write(describeStatus(message.status));
        host.disconnect();
        return;
      case 'failed':
        outcome = 'failed';
        process.stderr.write(`${elapsed}  ${message.text}\n`);
        return;
    }
  });
  await new Promise<void>((resolve) => {
    host.once('disconnect', () => {
      if (outcome === 'ready') resolve();
    });
    host.once('exit', () => resolve());
    host.once('error', () => resolve());
  });
  host.unref();
  process.off('SIGINT', interrupt);
  process.off('SIGTERM', interrupt);
  if (outcome === undefined) {
    process.stderr.write(interrupted ? 'interrupted\n' : 'lab: the process that hosts the lab has ended\n');
  }
  if (outcome !== 'ready') process.exitCode = 1;
}

/** The host: starts a lab, notifies its parent, and keeps it until SIGTERM or SIGINT. */
export async function hostLab(scenario: string): Promise<void> {
  const stopping = new AbortController();
  const tell = (message: HostMessage): void => {
    if (process.connected) process.send?.(message);
  };
  const end = new Promise<void>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => stopping.abort(new Error('interrupted')));
  // A parent that has gone away before the lab is ready can't be asked for anything any more.
  let ready = false;
  process.once('disconnect', () => {
    if (!ready) stopping.abort(new Error('interrupted'));
  });
  try {
    // Loaded here, because it takes a second which `status` and `down` need not spend.
    const { startScenario } = await import('../start-scenario.ts');
    const lab = await startScenario(scenarioByName(scenario), {
      onProgress: (text) => tell({ kind: 'progress', text }),
      signal: stopping.signal,
    });
    try {
      await lab.waitForTraffic();
      ready = true;
      tell({ kind: 'ready', status: lab.status() });
      await end;
    } finally {
      await lab.stop();
    }
  } catch (error) {
    tell({ kind: 'failed', text: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
  }
  if (process.connected) process.disconnect();
}

/** Ends the process that hosts the lab, whichever it is, and removes what is left. */
export async function labDown(): Promise<void> {
  const running = await askLab();
  if (running !== undefined) {
    const { pid, command } = running.holder;
    process.stderr.write(`stopping process ${pid} (${command})\n`);
    process.kill(pid, 'SIGTERM');
    await until(async () => ((await askLab()) === undefined ? true : undefined), {
      what: `process ${pid} does not end`,
      timeoutMs: DOWN_TIMEOUT_MS,
    });
  }
  const lock = await takeLock(() => undefined);
  try {
    const found = await removeLeftovers();
    const rest = `${found.processes} processes, ${found.namespaces} namespaces, ${found.mounts} mounts`;
    process.stderr.write(
      found.processes + found.namespaces + found.mounts > 0 ? `removed ${rest}\n` : 'nothing is left\n',
    );
  } finally {
    await lock.release();
  }
}

/** Prints what is running; exits with 1 when nothing is. */
export async function labStatus(json: boolean): Promise<void> {
  const running = await askLab();
  if (json) {
    process.stdout.write(`${JSON.stringify(running ?? null, undefined, 2)}\n`);
  } else if (running === undefined) {
    process.stdout.write('no lab is running\n');
  } else {
    process.stdout.write(
      `held by process ${running.holder.pid} (${running.holder.command}) since ${running.holder.since}\n`,
    );
    process.stdout.write(isStatus(running.status) ? describeStatus(running.status) : 'it is starting\n');
  }
  if (running === undefined) process.exitCode = 1;
}

/** What a person needs to inspect the lab. */
function describeStatus(status: LabStatus): string {
  const nodes = status.nodes.map(
    ({ name, nodegroup, zone, version, instanceId }) => `  ${name}  ${nodegroup}  ${zone}  ${version}  ${instanceId}`,
  );
  const services = status.services.map(
    ({ name, hostname, port, vips }) =>
      `  ${name}  ${hostname}:${port}  ${vips.map(({ address }) => address).join(' ')}`,
  );
  return [
    `scenario   ${status.scenario}`,
    `kubeconfig ${status.kubeconfig}`,
    `cloud      ${status.cloudUrl}`,
    `logs       ${status.logs}`,
    'nodes',
    ...nodes,
    'services',
    ...services,
    '',
  ].join('\n');
}

function isStatus(value: unknown): value is LabStatus {
  return typeof value === 'object' && value !== null && 'scenario' in value;
}
