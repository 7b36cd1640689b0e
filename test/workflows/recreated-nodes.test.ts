/** Upgrades of a node pool of GKE whose group creates VMs again, under the same names, while the run works on their nodes. */
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import { abortUpdate } from '../../workflows/messages.ts';
import { setBudget } from '../simulator/disturbances.ts';
import { someOf } from '../support/extent.ts';
import { expectReplaced, expectUntouched, type GkeUpgrade, gkeUpgradeOf } from '../support/gke-upgrade.ts';
import { recreateVm } from '../support/gke-world.ts';

const operator = { by: 'ann', reason: 'not today' };

/** The control plane keeps the Node object until the kubelet of the next VM registers. What the end of the first VM loses is nobody's budget. */
const scene = { delays: { nodeForgotten: 60 * 60_000 }, policy: { traffic: { lossBudget: 1_000_000 } } };

/** Has the VM of a node created again when `step` begins for the first time, while no pod of `api` may leave. Which node it is, once that has happened. */
async function recreateAt(step: string, which: (upgrade: GkeUpgrade, input: { node?: { name: string } }) => string) {
  const upgrade = await gkeUpgradeOf(scene);
  const { world } = upgrade;
  const lostWithIt = { lost: 0, cut: 0 };
  let name: string | undefined;
  const started = await upgrade.start({
    before: (begun, [input]) => {
      if (begun !== step || name !== undefined) return;
      name = which(upgrade, input as { node?: { name: string } });
      const { uid } = world.nodes.find((one) => one.name === name) ?? {};
      setBudget(world, 'api', 0);
      recreateVm(world, upgrade, name);
      // It has been a node, ready and a target like any other, for a while.
      const reopen = () => {
        const isBack = world.nodes.some((one) => one.name === name && one.uid !== uid && one.ready);
        if (!isBack) return world.clock.at(world.clock.now() + 10_000, reopen);
        Object.assign(lostWithIt, world.traffic);
        return world.clock.at(world.clock.now() + 3 * 60_000, () => setBudget(world, 'api', 1));
      };
      reopen();
    },
  });
  const finish = async () => {
    const report = await started.harness.finish(started.handle);
    world.traffic.lost -= lostWithIt.lost;
    world.traffic.cut -= lostWithIt.cut;
    return report;
  };
  return { upgrade, ...started, name: () => name ?? '', finish };
}

const own = (_upgrade: GkeUpgrade, { node }: { node?: { name: string } }) => node?.name ?? '';

/** What became of the nodes that had the name, one after another: their steps, and whether an instance was terminated with them. */
const fatesOf = ({ nodes }: RunReport, name: string) =>
  nodes
    .filter(({ node }) => node.name === name)
    .map(
      ({ step, evidence }) => `${step}, ${evidence.some(({ kind }) => kind === 'terminated') ? '' : 'not '}terminated`,
    );

describe('a node whose VM is created again', () => {
  test.each(someOf(['awaitDeregistered', 'evictPods', 'removeEndpoints'], 1))(
    'at %s is done with, and the one that has its name is replaced like any that joins',
    async (step) => {
      const { upgrade, name, finish } = await recreateAt(step, own);
      const report = await finish();
      expect(report.outcome, upgrade.world.log.join('\n')).toBe('completed');
      expect(fatesOf(report, name())).toEqual(['replaced, not terminated', 'replaced, terminated']);
      expectReplaced(upgrade);
    },
  );

  test('before it is excluded is done with, too', async () => {
    const last = ({ world }: GkeUpgrade) => world.nodes.findLast(({ pool }) => pool === 'web')?.name ?? '';
    const { upgrade, name, finish } = await recreateAt('cordonNodes', last);
    const report = await finish();
    expect(report.outcome, upgrade.world.log.join('\n')).toBe('completed');
    expect(fatesOf(report, name())).toContain('replaced, terminated');
    expectReplaced(upgrade);
  });

  test('counts as a node of the old pool when the run is aborted: no new node stays for it', async () => {
    const { upgrade, harness, handle, name, finish } = await recreateAt('evictPods', own);
    await harness.until(handle, 'the old node is done with', ({ nodes }) =>
      nodes.some(({ node, step }) => node.name === name() && step === 'replaced'),
    );
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await finish();
    expect(report.outcome, upgrade.world.log.join('\n')).toBe('aborted');
    expect(fatesOf(report, name())).toContain('replaced, not terminated');
    expectUntouched(upgrade);
  });
});
