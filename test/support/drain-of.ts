import { drainPolicy } from '../../core/policy/drain-policy.ts';
import { type Upgrade, type UpgradeScene, upgradeOf } from './upgrade-of.ts';

/** Which nodes of the pool are drained, by their positions, and what becomes of them. */
interface DrainScene extends UpgradeScene {
  readonly drained: readonly number[];
  readonly terminate?: boolean;
}

/** Sets the scene of a drain: as for an upgrade, and pods are surged unless the scene says otherwise. */
export function drainOf({ drained, terminate = false, podSurge = {}, ...scene }: DrainScene): Upgrade {
  const upgrade = upgradeOf({ podSurge, ...scene });
  const nodes = drained.flatMap((position) => {
    const node = upgrade.world.nodes[position];
    return node === undefined ? [] : [{ name: node.name, uid: node.uid }];
  });
  const choice = { pool: 'web', nodes, terminate, deleteEmptyDirData: false, force: false };
  return upgradeOf({ podSurge, ...scene, policy: drainPolicy(upgrade.policy, choice) });
}
