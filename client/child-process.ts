import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NodeferryError } from '../core/model/problem.ts';

/**
 * Path of the worker's entry file, next to the CLI's own, in the source tree and in a build alike.
 * @throws NodeferryError InvalidArgument in the kubectl plugin, which has no worker
 */
export function workerEntry(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const path = fileURLToPath(new URL(`../worker/main.${extension}`, import.meta.url));
  if (existsSync(path)) return path;
  throw new NodeferryError({
    code: 'InvalidArgument',
    message: 'The kubectl plugin contains no worker.',
    hint: 'Run one from the npm package or from the image of nodeferry (docs/worker.md).',
  });
}

/**
 * Starts a program as a child.
 * @throws NodeferryError Internal when it cannot be started
 */
export async function startChild(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const child = spawn(command, args, options);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(
        new NodeferryError({ code: 'Internal', message: `${command} can't be started: ${cause.message}` }, { cause }),
      ),
    );
  });
  return child;
}

/** Resolves with the exit code of a child. A child that was ended by a signal counts as 128 + 15. */
export function exitOf(child: ChildProcess): Promise<number> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  if (child.signalCode !== null) return Promise.resolve(143);
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 143)));
}
