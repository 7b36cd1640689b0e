/**
 * Attempts at steps of the pool that live on beside their successors: their worker can't reach Temporal, which considers them lost,
 * but still reaches the cluster.
 */

import { expect, test } from 'vitest';
import { type Activities, createActivities } from '../../activities/activities.ts';
import { type PoolStepInput, poolLockOf } from '../../activities/fence.ts';
import type { Outcome } from '../../activities/polling.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { Ports } from '../../ports/ports.ts';
import { ownershipOf } from '../simulator/cluster-port.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario, podSurgePolicy, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { inActivity } from '../support/in-activity.ts';

const run = 'run-1';

interface Scene {
  readonly plan: PoolPlan;
  readonly activities: Activities;
  /** One more attempt at a step, to its end. */
  readonly step: <T extends object>(name: string, body: () => Promise<Outcome<T>>) => Promise<T>;
  /** An attempt whose result nobody waits for any more. */
  readonly liveOn: (body: () => Promise<unknown>) => { ended(): Promise<unknown> };
  /** Input of the run's next step. */
  readonly next: () => PoolStepInput;
}

/** A run with new nodes and cordoned old nodes; steps of successors use the ports as they are, the others through `seen`. */
async function openScene(world: World, policy: Policy): Promise<Scene> {
  world.leases.set(poolLockOf(policy), { holder: run, token: 1, expiresAt: Number.MAX_SAFE_INTEGER });
  const activities = createActivities(createSimPorts(world));
  let sequence = 0;
  const next = () => ({ run, policy, sequence: (sequence += 1) });
  const step: Scene['step'] = async (name, body) => {
    const outcome = await inActivity(world, name, body);
    if (outcome.outcome === 'failed') throw new Error(`${name}: ${outcome.problem.message}`);
    return outcome;
  };
  const { plan } = await step('preflight', async () => await activities.preflight({ run, policy }));
  await step('create', async () => await activities.createPool({ ...next(), plan }));
  const awaited = { plan, forPods: true, expected: plan.surge };
  await step('await', async () => await activities.awaitNodesReady(awaited));
  await step('cordon', async () => await activities.cordonNodes({ ...next(), nodes: plan.nodes }));
  const liveOn: Scene['liveOn'] = (body) => {
    const environment = new MockActivityEnvironment({ activityId: 'lives on' });
    const running = inActivity(world, 'lives on', body, environment).catch((error: unknown) => error);
    return {
      ended: async () => {
        environment.cancel();
        return await running;
      },
    };
  };
  return { plan, activities, step, liveOn, next };
}

/** Waits until the world shows it. */
async function until(world: World, holds: () => boolean): Promise<void> {
  await inActivity(world, 'until', async () => {
    while (!holds()) await world.clock.sleep(100);
  });
}

test('a pod surge that lives on releases no pod that its run has adopted', async () => {
  const world = createScenario({ delays: { podReady: 30_000 } });
  const { plan, activities, step, liveOn, next } = await openScene(world, podSurgePolicy());
  const input = { ...next(), waiting: plan.nodes };
  const old = liveOn(async () => await activities.surgePods(input));
  await until(world, () => world.pods.filter(({ released }) => released !== undefined).length === 8);

  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  await step('adopt pods', async () => await activities.adoptPods(next()));
  await inActivity(world, 'a minute', async () => await world.clock.sleep(60_000));

  expect(ownershipOf(world), world.log.join('\n')).toEqual([]);
  expect(await old.ended()).toMatchObject({ type: 'Superseded' });
  world.clock.stop();
});

test('an exclusion that lives on neither cordons nor excludes a node that its run has restored', async () => {
  const world = createScenario();
  const { plan, activities, step, liveOn, next } = await openScene(world, scenarioPolicy());
  // No node may go yet.
  const [web] = world.budgets;
  if (web !== undefined) web.maxUnavailable = 0;
  world.changed();
  const input = { ...next(), baselines: plan.baselines, inFlight: [], waiting: plan.nodes };
  const old = liveOn(async () => await activities.excludeNext(input));
  await inActivity(world, 'a while', async () => await world.clock.sleep(30_000));

  await step('restore untracked', async () => await activities.restoreUntracked(next()));
  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  if (web !== undefined) web.maxUnavailable = 2;
  world.changed();
  await inActivity(world, 'a minute', async () => await world.clock.sleep(60_000));

  expect(ownershipOf(world), world.log.join('\n')).toEqual([]);
  expect(await old.ended()).toMatchObject({ type: 'Superseded' });
  world.clock.stop();
});

test('slow cordoning sets no cordon on nodes that have been uncordoned meanwhile', async () => {
  const world = createScenario();
  const { plan, activities, step, liveOn, next } = await openScene(world, scenarioPolicy());
  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const ports = createSimPorts(world);
  const frozen: Ports = {
    ...ports,
    cluster: {
      ...ports.cluster,
      cordon: async (node, by) => {
        const done = await ports.cluster.cordon(node, by);
        begun.resolve();
        await held.promise;
        return done;
      },
    },
  };
  const input = { ...next(), nodes: plan.nodes };
  const old = liveOn(async () => await createActivities(frozen).cordonNodes(input));
  await begun.promise;

  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  held.resolve();

  expect(await old.ended()).toMatchObject({ type: 'Superseded' });
  expect(ownershipOf(world), world.log.join('\n')).toEqual([]);
  world.clock.stop();
});

test('an attempt that begins when its successor has the pool does nothing', async () => {
  const world = createScenario();
  const { plan, activities, step, liveOn, next } = await openScene(world, scenarioPolicy());
  const late = { ...next(), nodes: plan.nodes };
  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  const old = liveOn(async () => await activities.cordonNodes(late));
  expect(await old.ended()).toMatchObject({ type: 'Superseded' });
  expect(ownershipOf(world)).toEqual([]);
  world.clock.stop();
});
