import { terminate } from './pools.ts';
import { later, note, type SimNode, type World } from './world.ts';

const scanMs = 10_000;
const unneededMs = 600_000;

/**
 * The cluster autoscaler removes each node that has had no pods for ten minutes, and none below the minimum size of its pool. Pods of DaemonSets do not
 * count (cluster autoscaler FAQ, How does scale-down work).
 */
export function scaleDownUnneeded(world: World): void {
  const unneededSince = new Map<string, number>();
  const scan = () => {
    const now = world.clock.now();
    for (const node of world.nodes) {
      if (!isEmpty(world, node)) unneededSince.delete(node.uid);
      else if (!unneededSince.has(node.uid)) unneededSince.set(node.uid, now);
      if (now - (unneededSince.get(node.uid) ?? now) >= unneededMs) remove(world, node);
    }
    later(world, scanMs, scan);
  };
  scan();
}

function isEmpty({ pods }: World, { name }: SimNode): boolean {
  return !pods.some((pod) => pod.node === name && pod.ownerKind !== 'DaemonSet' && !pod.mirror);
}

function remove(world: World, node: SimNode): void {
  const pool = world.pools.find(({ name }) => name === node.pool);
  const instance = world.instances.find(({ instanceId }) => instanceId === node.instanceId);
  if (pool === undefined || instance?.state !== 'running' || pool.desiredSize <= pool.minSize) return;
  note(world, `the cluster autoscaler removes ${node.name}`);
  pool.desiredSize -= 1;
  terminate(world, instance);
}
