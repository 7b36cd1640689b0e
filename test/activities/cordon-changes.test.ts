/** The step between removing the run's cordon and setting it again, and cordons of somebody else, where a controller reads the label with the cordon. */
import { beforeEach, describe, expect, test } from 'vitest';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Ports } from '../../ports/ports.ts';
import { serviceNamed } from '../simulator/disturbances.ts';
import { later, type SimService, type World } from '../simulator/world.ts';
import { upgradeOf } from '../support/upgrade-of.ts';
import { lockPool, planFirstNode, run } from './lock-pool.ts';

/** The API server is lost between the first removal of a cordon and its return. */
function loseCordon(ports: Ports): Ports {
  let removed = 0;
  const { cluster } = ports;
  return {
    ...ports,
    cluster: {
      ...cluster,
      uncordon: async (node, by) => {
        removed += 1;
        return await cluster.uncordon(node, by);
      },
      cordon: async (node, by) => {
        if (removed !== 1) return await cluster.cordon(node, by);
        removed += 1;
        throw new NodeferryError({ code: 'ClusterUnreachable', message: 'the API server does not answer' });
      },
    },
  };
}

interface Scene {
  readonly cordonedBy?: string;
  /** What the controllers do; they read the label with the cordon unless given. */
  readonly reading?: Pick<SimService, 'readsLabelWithCordon' | 'mayReadLabelWithCordon'>;
  readonly listen?: (ports: Ports) => Ports;
}

/** A run that has excluded its first node, which was cordoned by the run, or by somebody else. */
async function openScene({ cordonedBy = run, reading = { readsLabelWithCordon: true }, listen }: Scene = {}) {
  const upgrade = upgradeOf();
  const { world, policy } = upgrade;
  for (const name of ['web', 'api']) Object.assign(serviceNamed(world, name), reading);
  world.changed();
  const locked = lockPool(upgrade, listen);
  const input = await planFirstNode(locked);
  const { node } = input;
  const { cluster } = lockPool({ world, policy }).ports;
  if (cordonedBy === run) await cluster.cordon(node, run);
  else seen(world).cordoned = true;
  world.changed();
  const exclude = async () => await cluster.exclude(node, run);
  const deregister = async () => await locked.activities.awaitDeregistered({ ...input, excludedAt: world.clock.now() });
  return { ...locked, input, exclude, deregister };
}

/** The node as it is now. */
function seen(world: World) {
  const [node] = world.nodes;
  if (node === undefined) throw new Error('no node');
  return node;
}

test('an attempt that ends before the cordon is set again is continued, and nobody is said to have uncordoned the node', async () => {
  const { world, step, exclude, deregister } = await openScene({ listen: loseCordon });
  await exclude();
  const { externalChanges } = await step('deregister', deregister);
  expect(externalChanges).toEqual([]);
  expect(seen(world)).toMatchObject({ cordoned: true, annotations: { 'nodeferry.dev/cordoned-by': run } });
});

test('a node that is restored for now gets its cordon again', async () => {
  const { world, input, step, exclude, deregister } = await openScene();
  await exclude();
  await step('deregister', deregister);
  const again = lockPool({ world, policy: input.policy }, loseCordon).activities;
  await step('restore', async () => await again.restoreNode({ ...input, attempt: { round: 1, step: 2 } }));
  expect(seen(world)).toMatchObject({ cordoned: true, annotations: { 'nodeferry.dev/cordoned-by': run } });
});

test('a cordon of somebody else stays, and the step says at once what to do', async () => {
  const { world, attempt, exclude, deregister } = await openScene({ cordonedBy: 'somebody' });
  await exclude();
  const outcome = await attempt('deregister', deregister);
  expect(outcome).toMatchObject({
    outcome: 'failed',
    problem: { message: expect.stringContaining(`kubectl uncordon ${seen(world).name}`) },
  });
  expect(seen(world).cordoned).toBe(true);
  expect(seen(world).annotations).not.toHaveProperty('nodeferry.dev/cordoned-by');
});

test('once somebody has removed that cordon, the run sets its own, and goes on', async () => {
  const { world, step, exclude, deregister } = await openScene({ cordonedBy: 'somebody' });
  await exclude();
  later(world, 30_000, () => {
    seen(world).cordoned = false;
    world.changed();
  });
  await step('deregister', deregister);
  expect(seen(world)).toMatchObject({ cordoned: true, annotations: { 'nodeferry.dev/cordoned-by': run } });
});

describe('a controller of which nobody can tell whether it reads the label with the cordon', () => {
  const both = { readsLabelWithCordon: true, mayReadLabelWithCordon: true } as const;
  const cordonChanges = { count: 0 };
  const counting = (ports: Ports): Ports => ({
    ...ports,
    cluster: {
      ...ports.cluster,
      uncordon: async (node, by) => {
        cordonChanges.count += 1;
        return await ports.cluster.uncordon(node, by);
      },
    },
  });
  beforeEach(() => {
    cordonChanges.count = 0;
  });

  test('gets a cordon that changes once the label alone has done nothing for a while, and again for a node that is restored', async () => {
    const { world, input, step, exclude, deregister } = await openScene({ reading: both, listen: counting });
    await exclude();
    const { externalChanges } = await step('deregister', deregister);
    expect(externalChanges).toMatchObject([{ what: expect.stringContaining('despite its label') as string }]);
    expect(cordonChanges.count).toBe(1);
    const again = lockPool({ world, policy: input.policy }, counting).activities;
    await step('restore', async () => await again.restoreNode({ ...input, attempt: { round: 1, step: 2 } }));
    expect(cordonChanges.count).toBe(2);
    expect(seen(world)).toMatchObject({ cordoned: true, annotations: { 'nodeferry.dev/cordoned-by': run } });
  });

  test('is left alone where it goes by the label', async () => {
    const { world, input, step, exclude, deregister } = await openScene({
      reading: { mayReadLabelWithCordon: true },
      listen: counting,
    });
    await exclude();
    await step('deregister', deregister);
    const again = lockPool({ world, policy: input.policy }, counting).activities;
    await step('restore', async () => await again.restoreNode({ ...input, attempt: { round: 1, step: 2 } }));
    expect(cordonChanges.count).toBe(0);
  });
});
