import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { SESSION_FOLDER } from '../../../demo/session.ts';
import { labNamespaces } from '../../../lab/cluster/cleanup.ts';
import { CGROUP, STATE_DIR } from '../../../lab/cluster/state.ts';

/** Command lines of the processes that belong to a lab, wherever they run. */
export async function labProcesses(): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(STATE_DIR) || line.includes(SESSION_FOLDER));
}

/** Folders of sessions; one whose demo was killed outright stays. */
export async function sessionFolders(): Promise<readonly string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith(SESSION_FOLDER));
}

/** Everything that a lab, with a worker and Temporal or without, makes outside of its own process. */
export async function leftovers(): Promise<readonly string[]> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').filter((line) => line.includes(STATE_DIR));
  const groups = (await readdir('/sys/fs/cgroup')).filter((name) => existsSync(`/sys/fs/cgroup/${name}/${CGROUP}`));
  return [
    ...(await labProcesses()),
    ...(await labNamespaces()),
    ...mounts,
    ...groups,
    ...(existsSync(STATE_DIR) ? [STATE_DIR] : []),
  ];
}
