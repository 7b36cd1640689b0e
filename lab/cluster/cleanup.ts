/** Removes whatever a lab has left behind, however it ended. Safe to call at any time while no lab runs. */
import { existsSync } from 'node:fs';
import { readdir, readFile, readlink, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { attempt, until } from '../process.ts';
import { NAMESPACE_PREFIX } from '../which.ts';
import { cgroupProcesses, removeCgroup } from './cgroups.ts';
import { restoreHostLimits } from './host-limits.ts';
import { CGROUP, CREATED_FOLDERS, STATE_DIR } from './state.ts';

const NETNS_DIR = '/run/netns';
const DEATH_TIMEOUT_MS = 20_000;

/** What was found and removed. */
interface CleanupReport {
  readonly processes: number;
  readonly namespaces: number;
  readonly mounts: number;
}

/** Kills the lab's processes and removes its namespaces, mounts, control groups and files. */
export async function removeLeftovers(): Promise<CleanupReport> {
  const namespaces = await labNamespaces();
  const processes = await killAll(namespaces);
  await Promise.all(namespaces.map(removeNamespace));
  const mounts = await unmountAll();
  await removeCgroup(`/${CGROUP}`);
  await rm(STATE_DIR, { recursive: true, force: true });
  if (await otherLabs()) return { processes, namespaces: namespaces.length, mounts };
  await removeCreatedFolders();
  await restoreHostLimits();
  return { processes, namespaces: namespaces.length, mounts };
}

/** Names of the lab's network namespaces that exist now. */
export async function labNamespaces(): Promise<readonly string[]> {
  if (!existsSync(NETNS_DIR)) return [];
  return (await readdir(NETNS_DIR)).filter((name) => name.startsWith(NAMESPACE_PREFIX));
}

/** Kills until none is left, because a process may fork while it is being killed. */
async function killAll(namespaces: readonly string[]): Promise<number> {
  const killed = new Set<number>();
  await until(
    async () => {
      const found = await labProcesses(namespaces);
      for (const pid of found) {
        killed.add(pid);
        kill(pid);
      }
      return found.size === 0 ? true : undefined;
    },
    { what: 'the processes of an earlier lab do not end', timeoutMs: DEATH_TIMEOUT_MS, everyMs: 50 },
  );
  return killed.size;
}

/** Everything that runs in one of the namespaces or in a pod's control group, except this process. */
async function labProcesses(namespaces: readonly string[]): Promise<ReadonlySet<number>> {
  const found = new Set(await cgroupProcesses(`/${CGROUP}`));
  const inodes = new Set<number>();
  for (const name of namespaces) {
    const entry = await stat(join(NETNS_DIR, name)).catch(() => undefined);
    if (entry !== undefined) inodes.add(entry.ino);
  }
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const link = await readlink(`/proc/${pid}/ns/net`).catch(() => '');
    if (inodes.has(Number(/\d+/.exec(link)?.[0] ?? Number.NaN))) found.add(Number(pid));
  }
  found.delete(process.pid);
  return found;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** An interrupted `ip netns add` leaves a plain file, which `ip netns del` refuses. */
async function removeNamespace(name: string): Promise<void> {
  const result = await attempt('ip', ['netns', 'del', name]);
  if (result.code !== 0) await rm(join(NETNS_DIR, name), { force: true });
}

async function unmountAll(): Promise<number> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path === STATE_DIR || path.startsWith(`${STATE_DIR}/`));
  for (const path of mounts.reverse()) await attempt('umount', ['--lazy', path]);
  return mounts.length;
}

/** Whether another lab has files here, and so may have mounted something over the folders that were made for that. */
async function otherLabs(): Promise<boolean> {
  return (await readdir(dirname(STATE_DIR))).some((name) => /^nodeferry\d?-lab$/.test(name));
}

/** Removes the folders outside of their state directories that labs had to make as mount points. */
async function removeCreatedFolders(): Promise<void> {
  const list = await readFile(CREATED_FOLDERS, 'utf8').catch(() => '');
  const folders = list.split('\n').filter((line) => line !== '');
  for (const folder of folders.reverse()) await rmdir(folder).catch(() => undefined);
  await rm(CREATED_FOLDERS, { force: true });
}
