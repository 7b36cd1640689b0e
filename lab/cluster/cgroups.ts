/**
 * Control groups of the pods. The pods of all nodes are in one group with a large CPU share. Kubelets and the other components run niced in the root
 * group, so that a booting node does not starve the traffic under test.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CGROUP } from './state.ts';

const ROOT = '/sys/fs/cgroup';

/** Compared with 1024 of every single process outside it; the kernel's unit of cpu.shares (cgroup v1). */
const POD_SHARES = '32768';
/** The same share on cgroup v2, where weights go up to 10,000. */
const POD_WEIGHT = '10000';

/** The group of one node's pods, below the root of every hierarchy. */
export function nodeCgroup(instanceId: string): string {
  return `/${CGROUP}/${instanceId}`;
}

/** Creates the group that contains the pods of all nodes. */
export async function createPodCgroup(): Promise<void> {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, CGROUP);
    await mkdir(group, { recursive: true });
    await fillCpuset(hierarchy, group);
    if (existsSync(join(group, 'cpu.shares'))) await writeFile(join(group, 'cpu.shares'), POD_SHARES);
    if (existsSync(join(group, 'cpu.weight'))) await writeFile(join(group, 'cpu.weight'), POD_WEIGHT);
  }
}

/** Creates the group of one node's pods. */
export async function createNodeCgroup(instanceId: string): Promise<void> {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, CGROUP, instanceId);
    await mkdir(group, { recursive: true });
    await fillCpuset(join(hierarchy, CGROUP), group);
  }
}

/**
 * Files to which the first process of a node writes its process ID before it creates a control group namespace, whose root is then the node's own
 * group (cgroup_namespaces(7)). None on cgroup v2, where a group that contains groups accepts no processes and containers have their own namespaces.
 */
export function nodeCgroupEntrances(instanceId: string): readonly string[] {
  if (existsSync(join(ROOT, 'cgroup.controllers'))) return [];
  return hierarchies().map((hierarchy) => join(hierarchy, nodeCgroup(instanceId), 'cgroup.procs'));
}

/** What a node mounts over its view of the control groups: it sees its own group as the root, so its kubelet finds only its own pods there. */
export function nodeCgroupMounts(instanceId: string): readonly { readonly source: string; readonly target: string }[] {
  return hierarchies().map((target) => ({ source: join(target, nodeCgroup(instanceId)), target }));
}

/** Processes that are still in a group or below it. */
export async function cgroupProcesses(path: string): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (const hierarchy of hierarchies()) await collect(join(hierarchy, path), found);
  return found;
}

/** Removes a group and everything below it under every controller; groups with living processes stay. */
export async function removeCgroup(path: string): Promise<void> {
  for (const hierarchy of hierarchies()) await removeTree(join(hierarchy, path));
}

async function collect(group: string, found: Set<number>): Promise<void> {
  if (!existsSync(group)) return;
  for (const line of (await readFile(join(group, 'cgroup.procs'), 'utf8')).split('\n')) {
    if (line !== '') found.add(Number(line));
  }
  for (const child of await folders(group)) await collect(join(group, child), found);
}

async function removeTree(group: string): Promise<void> {
  if (!existsSync(group)) return;
  for (const child of await folders(group)) await removeTree(join(group, child));
  try {
    await rmdir(group);
  } catch (error) {
    // Busy while its last process is still exiting; the next cleanup removes it.
    if (!(error instanceof Error && 'code' in error && (error.code === 'EBUSY' || error.code === 'ENOENT')))
      throw error;
  }
}

async function folders(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** A cpuset group (cgroup v1) takes no process before it has CPUs and memory nodes. */
async function fillCpuset(parent: string, group: string): Promise<void> {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    if (!existsSync(join(group, file)) || existsSync(join(group, 'cgroup.controllers'))) continue;
    await writeFile(join(group, file), readFileSync(join(parent, file), 'utf8'));
  }
}

/** The mount points of all hierarchies: one on cgroup v2, one per controller on v1. */
function hierarchies(): readonly string[] {
  if (existsSync(join(ROOT, 'cgroup.controllers'))) return [ROOT];
  return readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(ROOT, entry.name, 'cgroup.procs')))
    .map((entry) => join(ROOT, entry.name));
}
