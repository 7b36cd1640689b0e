/** Upgrades of a node pool of GKE whose calls to Google fail, are lost, or have to wait: the adapter as it is, and the simulated Google. */
import { describe, expect, test } from 'vitest';
import type { RunStatus } from '../../core/status/status.ts';
import { startOperation } from '../../lab/gcp/gke/operations.ts';
import { later } from '../../lab/gcp/world.ts';
import { abortUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { upgradeAndAbort, upgradeAndRollBack } from '../support/abort-run.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectReplaced, expectUntouched, type GkeUpgrade, gkeUpgradeOf } from '../support/gke-upgrade.ts';

const operator = { by: 'ann', reason: 'not today' };

/** Everything by which an upgrade in waves changes something at Google. */
const changes = [
  'UpdateNodePool',
  'SetNodePoolAutoscaling',
  'SetNodePoolManagement',
  'CreateNodePool',
  'instanceGroupManagers.resize',
  'instanceGroupManagers.deleteInstances',
  'DeleteNodePool',
];
const inWaves = { policy: { nodeSurge: { instances: 2 } } };

/** Everything by which a run that is aborted before it has terminated anything restores what it has changed. */
const restoring = ['SetNodePoolAutoscaling', 'SetNodePoolManagement', 'UpdateNodePool', 'DeleteNodePool'];

/** Operations of GKE of that type, whoever asked for them. */
const operations = ({ gcp }: GkeUpgrade, type: string) =>
  [...gcp.model.gkeOperations.values()].filter((one) => one.type === type);

/** Somebody upgrades the control plane, for so long or until that is ended: meanwhile GKE changes nothing else of the cluster. */
function upgradeControlPlane({ gcp, cluster }: GkeUpgrade, ms?: number): () => void {
  const found = gcp.model.clusters.get(cluster);
  if (found === undefined) throw new Error(`no cluster ${cluster}`);
  let end = (): void => undefined;
  startOperation(gcp.model, found, {
    type: 'UPGRADE_MASTER',
    run: (done) => {
      end = done;
      if (ms !== undefined) later(gcp.model, ms, done);
    },
  });
  return () => end();
}

/** Calls `act` when the step begins for the first time. */
function once(step: string, act: () => void): (begun: string) => void {
  let isDone = false;
  return (begun) => {
    if (begun !== step || isDone) return;
    isDone = true;
    act();
  };
}

describe('a worker that is killed in the middle of', () => {
  test('each change of an upgrade leaves it to the next one, which makes no change twice', async () => {
    const upgrade = await gkeUpgradeOf(inWaves);
    upgrade.worker.killAt(...changes);
    const { harness, handle } = await upgrade.start();
    const report = await harness.finish(handle);
    expect(report.outcome, upgrade.world.log.join('\n')).toBe('completed');
    expect(upgrade.worker.killedAt().toSorted()).toEqual(changes.toSorted());
    expectReplaced(upgrade);
    for (const type of ['CREATE_NODE_POOL', 'DELETE_NODE_POOL']) expect(operations(upgrade, type)).toHaveLength(1);
  });

  variation('each change in a release channel, too', async () => {
    const upgrade = await gkeUpgradeOf({ channel: 'REGULAR' });
    upgrade.worker.killAt('SetMaintenancePolicy', 'SetMaintenancePolicy');
    const { harness, handle } = await upgrade.start();
    const report = await harness.finish(handle);
    expect(report.outcome, upgrade.world.log.join('\n')).toBe('completed');
    expect(upgrade.worker.killedAt()).toEqual(['SetMaintenancePolicy', 'SetMaintenancePolicy']);
    expectReplaced(upgrade);
  });

  variation('each change of an abort restores all the same', async () => {
    const upgrade = await gkeUpgradeOf();
    await upgradeAndAbort(
      upgrade,
      { step: 'evictPods' },
      { before: once('evictPods', () => upgrade.worker.killAt(...restoring)) },
    );
    expect(upgrade.worker.killedAt().toSorted()).toEqual(restoring.toSorted());
    expectUntouched(upgrade);
  });

  variation('each change of a rollback to the old pool', async () => {
    const upgrade = await gkeUpgradeOf();
    const back = ['instanceGroupManagers.resize', 'instanceGroupManagers.deleteInstances', ...restoring];
    const arm = once('terminateNode', () => upgrade.worker.killAt(...back));
    await upgradeAndRollBack(upgrade, { step: 'evictPods', nth: 3 }, { before: arm });
    expect(upgrade.worker.killedAt().toSorted()).toEqual(back.toSorted());
    expectUntouched(upgrade);
  });
});

describe('while somebody upgrades the control plane', () => {
  test('each step of an upgrade waits, however often, and says for which operation', async () => {
    const upgrade = await gkeUpgradeOf();
    const steps = ['createPool', 'deletePool'];
    const reasons = new Set<string>();
    const hooks = steps.map((step) => once(step, () => upgradeControlPlane(upgrade, 8 * 60_000)));
    const { harness, handle } = await upgrade.start({
      before: (step) => hooks.forEach((hook) => hook(step)),
      progress: (step, { reason }) => reasons.add(`${step}: ${reason}`),
    });
    const report = await harness.finish(handle);
    expect(report.outcome, upgrade.world.log.join('\n')).toBe('completed');
    for (const step of steps) {
      const says = new RegExp(`^${step}: .*UPGRADE_MASTER operation-\\S+ of \\S+, since .* still runs`);
      expect([...reasons].filter((reason) => says.test(reason))).not.toEqual([]);
    }
    expectReplaced(upgrade);
  });

  const says = /UPGRADE_MASTER operation-\S+ of \S+, since .* still runs/;

  test('without an end, the run stalls and names the operation, and an abort has nothing to wait for', async () => {
    const upgrade = await gkeUpgradeOf();
    const { harness, handle } = await upgrade.start({
      before: once('createPool', () => void upgradeControlPlane(upgrade)),
    });
    const { stalled } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalled?.message).toMatch(says);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('aborted');
    expectUntouched(upgrade);
  });

  variation('without an end after an abort, the rollback stalls until it is resumed', async () => {
    const upgrade = await gkeUpgradeOf();
    let end = (): void => undefined;
    const begin = once('cordonNodes', () => {
      end = upgradeControlPlane(upgrade);
      void handle.executeUpdate(abortUpdate, { args: [operator] });
    });
    const { harness, handle } = await upgrade.start({ before: begin });
    const isStalled = ({ phase, stalled }: RunStatus) => phase === 'rolling-back' && stalled !== undefined;
    const { stalled } = await harness.until(handle, 'stalled in the rollback', isStalled);
    expect(stalled?.message).toMatch(says);
    end();
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('aborted');
    expectUntouched(upgrade);
  });
});

describe('somebody deletes the old pool once it is empty', () => {
  test.each(someOf([undefined, 'REGULAR'], 1))(
    'release channel %s: upgrades of nodes are allowed again, and the new pool may shrink as its owner chose',
    async (channel) => {
      const upgrade = await gkeUpgradeOf(channel === undefined ? {} : { channel });
      const deleteOldPool = () => void upgrade.gcp.model.clusters.get(upgrade.cluster)?.pools.delete('web');
      const { harness, handle } = await upgrade.start({ before: once('deletePool', deleteOldPool) });
      const report = await harness.finish(handle);
      expect(report, upgrade.world.log.join('\n')).toMatchObject({ outcome: 'completed', leftovers: [] });
      expectReplaced(upgrade);
    },
  );
});

describe('what is suspended before the new pool is created', () => {
  const suspensions = async (channel?: 'REGULAR') => {
    const upgrade = await gkeUpgradeOf(channel === undefined ? {} : { channel });
    const { harness, handle } = await upgrade.start();
    expect((await harness.finish(handle)).outcome, upgrade.world.log.join('\n')).toBe('completed');
    expectReplaced(upgrade);
    const begun = [...upgrade.gcp.model.gkeOperations.values()].map(({ type, pool }) => `${type} ${pool ?? 'cluster'}`);
    const [created, deleted] = ['CREATE_NODE_POOL web-new', 'DELETE_NODE_POOL web'].map((one) => begun.indexOf(one));
    return {
      before: begun.slice(0, created),
      beside: begun.slice(created, deleted).filter((one) => one.endsWith(' web')),
    };
  };

  test('is the autoscaler, which may drain old nodes as soon as there are new ones; the rest goes on beside their boot', async () => {
    expect(await suspensions()).toEqual({
      // The label that records it, the autoscaler.
      before: ['UPDATE_CLUSTER web', 'UPDATE_CLUSTER web'],
      beside: ['SET_NODE_POOL_MANAGEMENT web'],
    });
  });

  variation('is also what changes the cluster, which has to wait for the whole creation otherwise', async () => {
    expect(await suspensions('REGULAR')).toEqual({
      before: ['UPDATE_CLUSTER web', 'UPDATE_CLUSTER web', 'UPDATE_CLUSTER cluster'],
      beside: [],
    });
  });
});

describe('Google has no room:', () => {
  test('a quota that is too small stalls the run with Google’s numbers, and nothing is left after an abort', async () => {
    const upgrade = await gkeUpgradeOf();
    upgrade.gcp.faults.limitCpus(4);
    const { harness, handle } = await upgrade.start();
    const { stalled } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalled?.message).toContain(`resource "CPUS": request requires '8.0' and is short '4.0'`);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    expect((await handle.result()).outcome).toBe('aborted');
    expectUntouched(upgrade);
  });

  variation('a zone without resources is told while the pool is being created, and waited for', async () => {
    const upgrade = await gkeUpgradeOf();
    upgrade.gcp.faults.stockOut('europe-west1-c');
    const told: string[] = [];
    const { harness, handle } = await upgrade.start({
      progress: (step, { reason }) => {
        if (!reason.includes('ZONE_RESOURCE_POOL_EXHAUSTED')) return;
        const running = operations(upgrade, 'CREATE_NODE_POOL').some(({ status }) => status === 'RUNNING');
        told.push(`${step} while the operation is ${running ? 'running' : 'done'}`);
        upgrade.gcp.faults.clear();
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome, upgrade.world.log.join('\n')).toBe('completed');
    expect(told[0]).toBe('awaitNodesReady while the operation is running');
    expectReplaced(upgrade);
  });

  test('where it stays so, the run stalls and names the cause, and an abort leaves nothing', async () => {
    const upgrade = await gkeUpgradeOf();
    upgrade.gcp.faults.stockOut('europe-west1-c');
    const { harness, handle } = await upgrade.start();
    const { stalled } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalled?.message).toContain('ZONE_RESOURCE_POOL_EXHAUSTED');
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    expect((await handle.result()).outcome).toBe('aborted');
    expectUntouched(upgrade);
  });
});

test.each(
  someOf(
    [
      ['a rate limit of Compute Engine', 'rate-limit', 'compute'],
      ['a rate limit of GKE', 'rate-limit', 'gke'],
      ['a Compute Engine that is unavailable now and then', 'unavailable', 'compute'],
    ],
    1,
  ),
)('%s delays an upgrade, and nothing else', async (_what, kind, service) => {
  const upgrade = await gkeUpgradeOf();
  let set = 0;
  const refused = () => upgrade.gcp.requests.filter(({ outcome }) => outcome !== 'ok').length;
  const limit = () => {
    // The next call is refused, as soon as the last one that was to be refused has been.
    if (refused() < set) return;
    upgrade.gcp.faults.fail(kind, { service });
    set += 1;
  };
  const { harness, handle } = await upgrade.start({ before: limit });
  const report = await harness.finish(handle);
  expect(report.outcome, upgrade.world.log.join('\n')).toBe('completed');
  expect(refused()).toBeGreaterThan(10);
  expectReplaced(upgrade);
});
