/** Health checks of a load balancer: a separate process in the load balancer's namespace. */
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HealthProbe, ProbeResult } from '../contracts.ts';
import { isRunning, start, stop } from '../process.ts';

const CHECKER = fileURLToPath(new URL('./checker.ts', import.meta.url));
const RESTART_AFTER_MS = 1_000;

/** Where the checks run, and what to call when their process ends unexpectedly. */
interface HealthCheckOptions {
  readonly namespace: string;
  readonly onError: (error: Error) => void;
}

/** A running set of health checks. */
interface HealthChecks {
  /** Replaces the set; a check that was already in it keeps its schedule. */
  replace(probes: readonly HealthProbe[], onResult: (result: ProbeResult) => void): void;
  close(): Promise<void>;
}

/** Starts the process that performs the checks; it is restarted when it ends unexpectedly. */
export function startHealthChecks(options: HealthCheckOptions): HealthChecks {
  let probes: readonly HealthProbe[] = [];
  let onResult: (result: ProbeResult) => void = () => undefined;
  let closed = false;
  let restart: NodeJS.Timeout | undefined;
  let child = launch();

  function launch() {
    const process_ = start(process.execPath, [CHECKER], {
      namespace: options.namespace,
      stdio: ['pipe', 'pipe', 'inherit'],
      urgent: true,
    });
    process_.stdin?.on('error', () => undefined);
    if (process_.stdout) createInterface({ input: process_.stdout }).on('line', receive);
    process_.once('error', options.onError);
    process_.once('exit', (code, signal) => {
      if (closed) return;
      options.onError(new Error(`the health checker ended (${signal ?? code})`));
      restart = setTimeout(() => {
        child = launch();
        send();
      }, RESTART_AFTER_MS);
    });
    return process_;
  }

  function send(): void {
    if (isRunning(child)) child.stdin?.write(`${JSON.stringify({ probes })}\n`);
  }

  function receive(line: string): void {
    const result = JSON.parse(line) as ProbeResult;
    // A check in progress no longer counts once its target has left the set.
    if (probes.some((probe) => probe.id === result.id)) onResult(result);
  }

  return {
    replace(nextProbes, nextOnResult) {
      probes = nextProbes;
      onResult = nextOnResult;
      send();
    },
    async close() {
      closed = true;
      clearTimeout(restart);
      child.stdin?.end();
      await stop(child, 2_000);
    },
  };
}
