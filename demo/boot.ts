/** How long the lab's instances take to become nodes: no order can use them sooner. */

import { run } from '../lab/process.ts';
import type { RunningLab } from '../lab/running-lab.ts';
import { toolPaths } from '../scripts/setup/paths.ts';

const columns =
  '{range .items[*]}{.spec.providerID}{" "}{.status.conditions[?(@.type=="Ready")].lastTransitionTime}{"\\n"}{end}';

/**
 * The longest time from the launch of an instance of the pool until its node was Ready, ms, rounded down to the resolution of Kubernetes: seconds.
 */
export async function measureBootMs(lab: RunningLab, pool: string): Promise<number> {
  const nodes = ['get', 'nodes', '-l', `${lab.cloud.poolLabel}=${pool}`];
  const text = await run(toolPaths().kubectl, [
    '--kubeconfig',
    lab.kubeconfigPath,
    ...nodes,
    '-o',
    `jsonpath=${columns}`,
  ]);
  const taken = text.split('\n').flatMap((line) => {
    const [providerId, readyAt] = line.split(' ');
    const launchedAt = lab.cloud.launchedAt(providerId?.split('/').at(-1) ?? '');
    return launchedAt === undefined || readyAt === undefined ? [] : [Date.parse(readyAt) - launchedAt];
  });
  return Math.max(0, ...taken);
}
