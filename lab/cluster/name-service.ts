/**
 * Names of load balancers for processes inside the lab: a hosts file that follows the simulated AWS and is mounted over /etc/hosts, so that the
 * resolver of every program finds them.
 */
import { writeFileSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import type { SimulatedAws } from '../aws/server.ts';
import { STATE } from './state.ts';

/** Keeps the file up to date; the returned function ends that. */
export async function followNames(aws: SimulatedAws): Promise<() => void> {
  const machine = await readFile('/etc/hosts', 'utf8').catch(() => '127.0.0.1 localhost\n');
  let written = '';
  const write = (): void => {
    const names = [...aws.model.loadBalancers.values()].flatMap(({ dnsName }) =>
      aws.resolve(dnsName).map((address) => `${address} ${dnsName}\n`),
    );
    const text = `${machine.trimEnd()}\n${names.join('')}`;
    if (text === written) return;
    written = text;
    // Overwritten in place, because the bind mounts refer to this very file.
    writeFileSync(STATE.hosts, text);
  };
  write();
  return aws.onChange(write);
}

/** A command line that runs a command with the lab's names; its first element is the program to start. */
export function withNames(command: string, args: readonly string[]): readonly [string, readonly string[]] {
  const script = `mount -n --bind ${STATE.hosts} /etc/hosts && exec "$@"`;
  return ['unshare', ['--mount', '--propagation', 'slave', 'sh', '-c', script, 'sh', command, ...args]];
}

/** For a cloud whose load balancers have no names: processes inside see the host's own file. */
export async function writeNames(): Promise<void> {
  await copyFile('/etc/hosts', STATE.hosts).catch(() => writeFile(STATE.hosts, '127.0.0.1 localhost\n'));
}
