/** LabUpgrades of the lab beside a tool that prunes pods without owner. For any scenario with `web` and `api`. */
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import { type Pruner, startPruner } from '../../lab/cluster/pruner.ts';
import { expectUnharmed } from './disturbed-upgrade.ts';
import { countBad } from './lab-disturbances.ts';
import { describeLosses, type LabUpgrades, type NextOptions } from './lab-upgrades.ts';
import { watchServiceLevels } from './service-levels.ts';

/** Describes them; the lab is asked for when they run. */
export function describePrunedUpgrades(upgrades: () => LabUpgrades): void {
  describe('a pruner of pods without owner', () => {
    /** Replaces the pool while it is at work. */
    async function upgradePruned(pruner: Pruner, options: NextOptions): Promise<RunReport> {
      try {
        return await upgrades().upgrade(upgrades().nextPolicy({ podSurge: true, ...options }));
      } finally {
        await pruner.stop();
      }
    }

    test('leaves released pods alone, and no Service has less than before', async () => {
      const { session } = upgrades();
      await upgrades().beginClean();
      const levels = await watchServiceLevels(session.lab.kubeconfigPath);
      const pruner = startPruner(session.lab.kubeconfigPath, { obeys: true });
      const report = await upgradePruned(pruner, {});
      expect(report.outcome).toBe('completed');
      expect(pruner.pruned).toEqual([]);
      await expectUnharmed(upgrades(), report);
      expect(await levels.stop()).toEqual([]);
    });

    test('that heeds no annotation deletes them while callers are sent there', async () => {
      const { session } = upgrades();
      await upgrades().beginClean();
      const pruner = startPruner(session.lab.kubeconfigPath, { obeys: false });
      await upgradePruned(pruner, { lossBudget: 1_000_000 });
      const losses = await upgrades().losses();
      process.stderr.write(`* ${pruner.pruned.length} pods pruned: ${describeLosses(losses)}\n`);
      expect(pruner.pruned.length).toBeGreaterThan(0);
      expect(countBad(losses)).toBeGreaterThan(0);
    });
  });
}
