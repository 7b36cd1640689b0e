import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../worker/main.ts', import.meta.url));

/** A worker in a process of its own, as an operator starts it. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  /** What it has written so far, both streams. */
  output(): string;
  /** Its exit code once it has ended; a signal's name when that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** Starts the real worker, or the script and arguments that are given. Nothing of this machine's own settings reaches it but what `env` says. */
export function startWorkerProcess(
  env: Readonly<Record<string, string>>,
  script: readonly string[] = [main],
): WorkerProcess {
  const child = spawn(process.execPath, [...script], {
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      AWS_REGION: 'eu-west-1',
      NODEFERRY_HEALTH_ADDRESS: 'off',
      NODEFERRY_METRICS_ADDRESS: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  return { child, output: () => output, ended };
}
