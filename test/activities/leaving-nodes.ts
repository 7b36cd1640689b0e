/** Nodes that leave, without Temporal: one step after another, also while earlier attempts live on. */
import type { NodeStepInput } from '../../activities/node-step.ts';
import { learnBaselines } from '../../core/guard/baseline.ts';
import type { Ports } from '../../ports/ports.ts';
import type { SimNode, World } from '../simulator/world.ts';
import { type PolicyChange, upgradeOf } from '../support/upgrade-of.ts';
import { lockPool, run } from './lock-pool.ts';

/** The label by which a run excludes a node from its load balancers. */
export const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** A scenario in which the run holds its pool and the first nodes have left their load balancers, `n` of them. */
export async function openScene(n: number, change: PolicyChange = {}, prepare?: (world: World) => void) {
  const upgrade = upgradeOf({ policy: change });
  if (prepare !== undefined) settleWith(upgrade.world, prepare);
  const { world, policy, ports, activities, attempt } = lockPool(upgrade);
  const cluster = await ports.cluster.observe();
  const { groups } = await ports.loadBalancers.discover(cluster.services);
  const before = {
    cluster,
    targetGroups: await ports.loadBalancers.readTargets(groups),
    unsupported: [],
    observedAt: world.clock.now(),
  };
  const baselines = learnBaselines([], before, policy);
  const leaving = world.nodes.slice(0, n);
  for (const node of leaving) {
    exclude(node);
    node.cordoned = true;
    node.annotations['nodeferry.dev/cordoned-by'] = run;
  }
  world.changed();
  world.clock.advance(3 * 60_000);
  const pool = { cluster: 'sim', region: 'eu-west-1', provider: 'eks', name: 'web' };
  const inputOf = (node: SimNode, step: number): NodeStepInput => {
    return { run, node, pool, direction: 'forward', policy, baselines, attempt: { round: 1, step } };
  };
  const evict = async (node: SimNode, { evictPods } = activities) =>
    await attempt(node.name, async () => await evictPods(inputOf(node, 3)));
  return { world, policy, ports, activities, attempt, leaving, inputOf, evict };
}

/** Changes the world, and counts from when it has settled. */
function settleWith(world: World, prepare: (world: World) => void): void {
  prepare(world);
  world.changed();
  world.clock.advance(5 * 60_000);
  world.traffic = { sent: 0, lost: 0, cut: 0 };
}

/** Ports whose named action hangs, from that call on, until it is resumed: a worker that was cut off just before it. */
export function hangingAt(ports: Ports, act: 'requireFence' | 'requireLock' | 'observe', call: number) {
  const reached = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  let calls = 0;
  const cluster = new Proxy(ports.cluster, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== act || typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        calls += 1;
        if (calls >= call) {
          reached.resolve();
          await resumed.promise;
        }
        return await member.apply(target, args);
      };
    },
  });
  return { ports: { ...ports, cluster }, reached: reached.promise, resume: resumed.resolve };
}

/** The run excludes the node. */
export function exclude(node: SimNode): void {
  node.labels[excludeLabel] = 'true';
  node.annotations['nodeferry.dev/excluded-by'] = run;
}
