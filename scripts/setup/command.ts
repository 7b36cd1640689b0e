import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { SetupError } from './errors.ts';

/** How to run a command and what to do with its output. */
interface CommandOptions {
  readonly cwd?: string;
  /** Added to the environment of this process, replacing variables with the same name. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with every line of standard output and standard error. */
  readonly onLine?: (line: string) => void;
  /** Interrupts the command when aborted. */
  readonly signal?: AbortSignal;
  /** What the user can do when the command fails. */
  readonly fix: string;
}

const KEPT_LINES = 25;

/** Runs a command to its end; rejects with a SetupError that contains its last lines when it fails or is missing. */
export function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: options.signal,
    killSignal: 'SIGINT',
  });
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lastLines.push(line);
      if (lastLines.length > KEPT_LINES) lastLines.shift();
      options.onLine?.(line);
    });
  }
  child.on('error', (error) => reject(new SetupError(`cannot run ${file}: ${error.message}`, options.fix)));
  child.on('close', (code, signal) => {
    if (code === 0) {
      resolve(undefined);
      return;
    }
    const ending = signal === null ? `exit code ${code}` : signal;
    const said = lastLines.map((line) => `    ${line}`).join('\n');
    reject(new SetupError(`${[file, ...args].join(' ')} failed (${ending}):\n${said}`, options.fix));
  });
  return promise;
}
