/** How long the lab's instances take until their nodes can be used, and pods to become Ready on them: no order can use them sooner. */

import { run } from '../lab/process.ts';
import type { RunningLab } from '../lab/running-lab.ts';
import { toolPaths } from '../scripts/setup/paths.ts';

const readyAt = '.status.conditions[?(@.type=="Ready")].lastTransitionTime';
const nodeColumns = `{range .items[*]}{.metadata.name}{" "}{.spec.providerID}{" "}{${readyAt}}{"\\n"}{end}`;
const podColumns = `{range .items[*]}{.spec.nodeName}{" "}{.metadata.ownerReferences[0].kind}{" "}{.metadata.creationTimestamp}{" "}{${readyAt}}{"\\n"}{end}`;

/** Delays that were measured, ms. They are rounded down to the resolution of Kubernetes: seconds. */
interface MeasuredStart {
  /** The longest time from the launch of an instance of the pool until its node was Ready, and the DaemonSet pods on it too. */
  readonly bootMs: number;
  /** The longest time from the creation of a pod until it was Ready, of those on the pool that can be replaced. 0 when there are none. */
  readonly podMs: number;
}

/** Measures both for a pool whose pods have come from another one. */
export async function measureStart(lab: RunningLab, pool: string): Promise<MeasuredStart> {
  const nodes = await list(lab, nodeColumns, ['nodes', '-l', `${lab.cloud.poolLabel}=${pool}`]);
  const pods = await list(lab, podColumns, ['pods', '--all-namespaces']);
  const booted = nodes.flatMap(([name, providerId, nodeAt]) => {
    const agents = pods.flatMap(([node, owner, , at]) => (node === name && owner === 'DaemonSet' && at ? [at] : []));
    const launchedAt = lab.cloud.launchedAt(providerId?.split('/').at(-1) ?? '');
    if (launchedAt === undefined || nodeAt === undefined) return [];
    return [Math.max(...[nodeAt, ...agents].map((at) => Date.parse(at))) - launchedAt];
  });
  const names = new Set(nodes.map(([name]) => name));
  const started = pods.flatMap(([node, owner, createdAt, at]) => {
    if (!names.has(node) || owner !== 'ReplicaSet' || createdAt === undefined || at === undefined) return [];
    return [Date.parse(at) - Date.parse(createdAt)];
  });
  return { bootMs: Math.max(0, ...booted), podMs: Math.max(0, ...started) };
}

async function list(lab: RunningLab, columns: string, what: readonly string[]): Promise<readonly string[][]> {
  const args = ['--kubeconfig', lab.kubeconfigPath, 'get', ...what, '-o', `jsonpath=${columns}`];
  const text = await run(toolPaths().kubectl, args);
  return text.split('\n').map((line) => line.split(' '));
}
