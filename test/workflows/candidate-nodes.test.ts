/** Load balancers that have pods as targets, as long as the zone of the pods has a candidate node. */
import { describe, expect, test } from 'vitest';
import type { ProtectiveRule } from '../../core/steps/steps.ts';
import { resumeUpdate } from '../../workflows/messages.ts';
import { excludeLabel } from '../simulator/membership.ts';
import { addBatchPool, plainBalancer } from '../simulator/scenario.ts';
import type { SimNode, World } from '../simulator/world.ts';
import { drainOf } from '../support/drain-of.ts';
import { expectNothingLost, failureOfRun } from '../support/run-checks.ts';
import type { Upgrade } from '../support/upgrade-of.ts';

const zone = 'eu-west-1b';

/** A drain of the two nodes of a zone. The only pod of another pool is there, too, on a node of its own, and is a target itself. */
function drainOfZone(disabledRules: readonly ProtectiveRule[] = []): Upgrade & { readonly batch: SimNode } {
  const policy = { disabledRules, traffic: { lossBudget: 1_000_000 } };
  const drain = drainOf({ drained: [1, 3], policy });
  const { world } = drain;
  addBatchPool(world);
  const [here, elsewhere] = [true, false].map((isHere) =>
    world.nodes.find((node) => node.pool === 'batch' && (node.zone === zone) === isHere),
  );
  if (here === undefined || elsewhere === undefined) throw new Error('no node for the pod');
  world.nodes = world.nodes.filter((node) => node !== elsewhere);
  world.instances = world.instances.filter(({ instanceId }) => instanceId !== elsewhere.instanceId);
  world.pods = world.pods.filter((pod) => pod.node !== elsewhere.name);
  for (const workload of world.workloads) if (workload.name === 'batch') workload.replicas = 1;
  world.services.push({
    key: 'default/batch',
    type: 'ClusterIP',
    externalTrafficPolicy: 'Cluster',
    selector: { app: 'batch' },
    healthCheckNodePort: 0,
    ratePerSecond: 0,
    ...plainBalancer,
    podGroups: true,
    view: [],
    targets: [],
  });
  world.changed();
  world.clock.advance(5 * 60_000);
  for (const service of world.services) service.ratePerSecond = 100;
  world.traffic = { sent: 0, lost: 0, cut: 0 };
  world.log.length = 0;
  expect(world.nodes.filter((node) => node.zone === zone && node.pool === 'web')).toHaveLength(2);
  return { ...drain, batch: here };
}

function exclude(world: World, node: SimNode): void {
  node.labels[excludeLabel] = 'true';
  world.changed();
}

describe('a drain of a zone whose other node is excluded meanwhile', () => {
  test('keeps the last candidate node, says why, and goes on once there is another one', async () => {
    const { world, start, batch } = drainOfZone();
    const before = async (step: string) => {
      if (step === 'cordonNodes') exclude(world, batch);
    };
    const { harness, handle } = await start({ before });
    const { stalled } = await harness.until(handle, 'it is stalled', (status) => status.stalled !== undefined);
    expect(stalled?.message).toMatch(/is the last candidate node of eu-west-1b, .* all pods of default\/batch there/);
    expect(stalled?.hint).toContain('Have a node in eu-west-1b that stays');
    expect(world.nodes.filter((node) => node.zone === zone && node.labels[excludeLabel] === undefined)).toHaveLength(1);
    expectNothingLost(world);

    delete batch.labels[excludeLabel];
    world.changed();
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'a node is back' }] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
  });

  test('loses every pod of the zone without the guard', async () => {
    const { world, start, batch } = drainOfZone(['capacity-guard']);
    const before = async (step: string) => {
      if (step === 'cordonNodes') exclude(world, batch);
    };
    const { handle } = await start({ before });
    await handle.result();
    const losing = world.log.filter((line) => line.includes('requests lost')).map((line) => line.split(' ')[1]);
    expect([...new Set(losing)], world.log.join('\n')).toEqual(['default/batch:']);
  });
});

test('a drain that leaves no candidate node in such a zone is refused before anything is touched', async () => {
  const { world, start, batch } = drainOfZone();
  exclude(world, batch);
  const { handle } = await start();
  const { type, report } = await failureOfRun(handle);
  expect(type).toBe('PreflightRefused');
  expect(report.stalled?.message ?? '').toContain('GRD-003 zone eu-west-1b');
  expect(world.nodes.filter(({ cordoned }) => cordoned)).toEqual([]);
});
