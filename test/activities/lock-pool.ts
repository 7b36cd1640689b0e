import { type Activities, createActivities } from '../../activities/activities.ts';
import { type PoolStepInput, poolLockOf } from '../../activities/fence.ts';
import type { NodeStepInput } from '../../activities/node-step.ts';
import type { Outcome } from '../../activities/polling.ts';
import type { PoolLock } from '../../core/model/pool-lock.ts';
import type { Ports } from '../../ports/ports.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { inActivity } from '../support/in-activity.ts';
import type { Upgrade } from '../support/upgrade-of.ts';

export { type Activities, createActivities } from '../../activities/activities.ts';

/** Every run of these tests. */
export const run = 'run-1';

/** Where a run is, and what it shall do: an upgrade that nobody starts. */
type Scene = Pick<Upgrade, 'world' | 'policy'>;

/** A run that has the lock on its pool, and does one step after another without Temporal. */
export interface LockedPool extends Scene {
  readonly lock: PoolLock;
  readonly ports: Ports;
  /** Steps on the ports as they are. */
  readonly activities: Activities;
  /** Input of the run's next step that concerns the whole pool. */
  readonly next: () => PoolStepInput;
  /** One attempt at a step, whatever becomes of it. */
  readonly attempt: <T>(name: string, body: () => Promise<T>, environment?: MockActivityEnvironment) => Promise<T>;
  /** A step that has to end well. */
  readonly step: <T extends object>(name: string, body: () => Promise<Outcome<T>>) => Promise<T>;
}

/** Takes the lock on the pool of an upgrade for a run; `listen` may come between its steps and the world. */
export function lockPool(scene: Scene, listen: (ports: Ports) => Ports = (ports) => ports): LockedPool {
  const { world, policy } = scene;
  const lock = { name: poolLockOf(policy), holder: run, token: 1 };
  world.leases.set(lock.name, { ...lock, expiresAt: Number.MAX_SAFE_INTEGER });
  const ports = listen(createSimPorts(world));
  const attempt: LockedPool['attempt'] = async (name, body, environment) =>
    await inActivity(world, name, body, environment ?? new MockActivityEnvironment({ activityId: name }));
  let sequence = 0;
  return {
    world,
    policy,
    lock,
    ports,
    activities: createActivities(ports),
    next: () => ({ run, policy, sequence: (sequence += 1) }),
    attempt,
    step: async (name, body) => {
      const outcome = await attempt(name, body);
      if (outcome.outcome === 'failed') throw new Error(`${name}: ${outcome.problem.message}`);
      return outcome;
    },
  };
}

/** Plans, and returns the input of the first step of the first node. */
export async function planFirstNode({ policy, activities, step }: LockedPool): Promise<NodeStepInput> {
  const { plan } = await step('preflight', async () => await activities.preflight({ run, policy }));
  const [node] = plan.nodes;
  if (node === undefined) throw new Error('no node');
  const { oldPool: pool, baselines } = plan;
  return { run, node, pool, policy, baselines, attempt: { round: 1, step: 1 }, direction: 'forward' };
}
