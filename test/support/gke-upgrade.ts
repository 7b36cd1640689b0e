import { expect } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import { ownershipOf } from '../simulator/cluster-port.ts';
import { addIdlePool } from '../simulator/scenario.ts';
import { type GkeCloud, gkeZones, moveToGke } from './gke-world.ts';
import { expectNothingLost } from './run-checks.ts';
import { type Upgrade, type UpgradeScene, upgradeOf } from './upgrade-of.ts';

/** An upgrade of a node pool of GKE that may begin. */
export interface GkeUpgrade extends Upgrade, GkeCloud {}

/** A cluster of GKE, beside what is in every world. */
interface GkeScene extends UpgradeScene {
  readonly channel?: 'REGULAR';
  /** Somebody has made pool `web-new` with so many nodes, for the run to adopt. */
  readonly adopted?: number;
}

/** Sets the scene of an upgrade on GKE, with four nodes in two zones. The run is `run-1`. */
export async function gkeUpgradeOf(scene: GkeScene = {}): Promise<GkeUpgrade> {
  const { channel, adopted, ...rest } = scene;
  const upgrade = upgradeOf({ zones: gkeZones, ...rest });
  if (adopted !== undefined) addIdlePool(upgrade.world, 'web-new', adopted, { version: 'v1.36.3' });
  const cloud = await moveToGke(upgrade.world, channel && { channel });
  const policy: Policy = {
    ...upgrade.policy,
    cluster: { name: cloud.cluster, region: 'europe-west1' },
    pool: { provider: 'gke', name: 'web' },
    target: { ...upgrade.policy.target, version: '1.36' },
    ...(adopted === undefined ? {} : { adoptTarget: true }),
  };
  const start: Upgrade['start'] = async (hooks = {}, input = {}) => ({
    ...(await upgrade.start(hooks, { policy, ...input })),
    policy,
  });
  return { ...upgrade, ...cloud, policy, start };
}

/** The pools of the cluster by name, with what somebody may see of them once a run is over. */
function poolsLeft({ gcp, cluster }: GkeCloud) {
  const { pools, maintenance } = gcp.model.clusters.get(cluster) ?? { pools: new Map(), maintenance: {} };
  return {
    pools: Object.fromEntries(
      [...pools.values()].map(({ name, spec, groups }) => [
        name,
        {
          size: groups.reduce((sum: number, group: string) => sum + (gcp.model.groups.get(group)?.targetSize ?? 0), 0),
          autoscaling: spec.autoscaling,
          management: spec.management,
          labels: [spec.config?.resourceLabels, spec.config?.labels]
            .flatMap((labels) => Object.keys(labels ?? {}))
            .filter((key) => key.startsWith('nodeferry'))
            .toSorted(),
        },
      ]),
    ),
    exclusions: Object.keys(maintenance.window?.maintenanceExclusions ?? {}),
  };
}

/** What the owner of pool `web` has chosen. */
const owners = {
  size: 4,
  autoscaling: expect.objectContaining({ enabled: true, minNodeCount: 1, maxNodeCount: 4 }),
  management: expect.objectContaining({ autoUpgrade: true, autoRepair: true }),
};

/** The new pool has taken the place of the old one, without a loss, and nothing of the run is left but whose it is. */
export function expectReplaced(upgrade: GkeUpgrade): void {
  expectNothingLost(upgrade.world);
  expectNothingOnNodes(upgrade);
  expect(poolsLeft(upgrade)).toEqual({
    pools: { 'web-new': { ...owners, labels: ['nodeferry-created-by', 'nodeferry-replaces'] } },
    exclusions: [],
  });
}

/** The old pool is as its owner has left it, without a loss, and nothing of the run is left. */
export function expectUntouched(upgrade: GkeUpgrade): void {
  expectNothingLost(upgrade.world);
  expectNothingOnNodes(upgrade);
  expect(poolsLeft(upgrade)).toEqual({ pools: { web: { ...owners, labels: [] } }, exclusions: [] });
}

/**
 * An aborted run has lost nothing: as many new nodes stay as old ones were replaced, both pools scale as their owner chose, as far as their sizes allow,
 * and nothing of the run is left but whose the new pool is.
 */
export function expectAborted(upgrade: GkeUpgrade, replaced: number): void {
  expectNothingLost(upgrade.world);
  expectNothingOnNodes(upgrade);
  const left = (size: number, labels: readonly string[]) => ({
    ...owners,
    size,
    autoscaling: expect.objectContaining({ enabled: true, minNodeCount: Math.min(1, size), maxNodeCount: 4 }),
    labels,
  });
  const kept = replaced > 0 && { 'web-new': left(replaced, ['nodeferry-created-by', 'nodeferry-replaces']) };
  expect(poolsLeft(upgrade)).toEqual({ pools: { web: left(4 - replaced, []), ...kept }, exclusions: [] });
}

function expectNothingOnNodes({ world, gcp }: GkeUpgrade): void {
  expect(ownershipOf(world)).toEqual([]);
  expect([...world.leases.keys()]).toEqual([]);
  expect(world.nodes.filter(({ cordoned }) => cordoned)).toEqual([]);
  expect(world.instances.filter(({ state }) => state === 'running')).toHaveLength(4);
  expect([...gcp.model.instances.values()].map(({ status }) => status)).toEqual(Array(4).fill('RUNNING'));
}
