import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { type BundleOptions, bundleWorkflowCode } from '@temporalio/worker';
import type { TestProject } from 'vitest/node';
import { freePorts, startOnFreePorts } from '../../lab/free-ports.ts';
import { temporalPath } from '../../scripts/setup/temporal.ts';
import { searchAttributeFlags } from '../../workflows/messages.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** `host:port` of the Temporal server of this test run. */
    temporalAddress: string;
    /** File with the workflow bundle of this test run, which tells the virtual clock what workflows wait for. */
    workflowBundle: string;
  }
}

/** Starts one real Temporal server and builds one workflow bundle for the whole test run; ends the server afterwards. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-temporal-'));
  const [server, bundle] = await Promise.all([startServer(), buildTestBundle(directory)]);
  project.provide('temporalAddress', server.address);
  project.provide('workflowBundle', bundle);
  return async () => {
    await stopServer(server.process);
    rmSync(directory, { recursive: true, force: true });
  };
}

/** A server and where it answers. */
interface RunningServer {
  readonly address: string;
  readonly process: ChildProcess;
}

/**
 * What a server with a thousand short runs has to do less of, as dynamic configuration (temporalio/temporal, common/dynamicconfig/constants.go): it
 * gives a step to the worker with the response to the workflow task that asked for it, and task queues have one partition instead of four.
 */
const lessWork = [
  'system.enableActivityEagerExecution=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
] as const;

/** Starts a development server in memory on a free port and waits until it answers. */
export async function startServer(): Promise<RunningServer> {
  const executable = temporalPath();
  if (!existsSync(executable)) throw new Error(`there is no Temporal at ${executable}: run \`npm run setup\``);
  return await startOnFreePorts('the Temporal server', () => startOnce(executable));
}

async function startOnce(executable: string): Promise<RunningServer | undefined> {
  const [port] = await freePorts(1);
  const child = spawn(
    executable,
    [
      'server',
      'start-dev',
      '--headless',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--log-level',
      'error',
      ...searchAttributeFlags(),
      ...lessWork.flatMap((setting) => ['--dynamic-config-value', setting]),
    ],
    // By default Go collects garbage whenever the heap has doubled.
    { env: { GOGC: '400', ...process.env }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const address = `127.0.0.1:${port}`;
  return (await answers(address, child)) ? { address, process: child } : undefined;
}

/** Waits until the server answers; false when it has ended instead. */
async function answers(address: string, child: ChildProcess): Promise<boolean> {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    if (child.exitCode !== null) return false;
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1_000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      return true;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Bundles the product's workflows, and what tells the virtual clock of them, into a file of that folder. */
export async function buildTestBundle(
  directory: string,
  converters: Pick<BundleOptions, 'failureConverterPath'> = {},
): Promise<string> {
  const modules = ['awaits-interceptors.ts', '../../workflows/run/details.ts'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return await buildBundle(directory, new URL('../../workflows/index.ts', import.meta.url), modules, converters);
}

/** Bundles other workflows than the project's, as a worker of another version has them: there is no node replacement. */
export async function bundleOfOthers(directory: string): Promise<string> {
  return await buildBundle(directory, new URL('schedule/workflows.ts', import.meta.url));
}

/** Bundles workflows into a file of that folder. */
export async function buildBundle(
  directory: string,
  workflows: URL,
  workflowInterceptorModules: string[] = [],
  converters: Pick<BundleOptions, 'failureConverterPath'> = {},
): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(workflows),
    workflowInterceptorModules,
    ...converters,
    logger: quietLogger,
  });
  const path = join(directory, `${basename(workflows.pathname, '.ts')}-bundle.js`);
  writeFileSync(path, code);
  return path;
}

/** Says nothing of bundles that can be built. */
export const quietLogger = Object.fromEntries(
  ['log', 'trace', 'debug', 'info', 'warn', 'error'].map((level) => [level, () => undefined]),
) as unknown as NonNullable<Parameters<typeof bundleWorkflowCode>[0]['logger']>;

/** Ends a server, and waits until it has. */
export async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(impatience);
}
