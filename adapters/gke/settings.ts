import type { protos } from '@google-cloud/container';
import type { PoolRef } from '../../core/model/pool.ts';
import { changeGke, type GkeClients } from './clients.ts';
import { settableLabels } from './managed-settings.ts';
import { clusterName, exclusionName, poolName, poolSubject } from './names.ts';
import { readCluster, requireNodePool } from './observe.ts';
import { change } from './operations.ts';
import { nodeLabels } from './settings-label.ts';

type Api = typeof protos.google.container.v1;
type Autoscaling = NonNullable<InstanceType<Api['NodePool']>['autoscaling']>;

const permission = 'container.clusters.update';

/**
 * Changes labels of the pool's nodes, which stay as they are otherwise; undefined removes one. GKE replaces those of the owner as a whole, so the pool
 * must not have changed since it was read.
 */
export async function setNodeLabels(
  clients: GkeClients,
  ref: PoolRef,
  labels: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const read = async () => {
    const pool = await requireNodePool(clients, ref);
    const wanted = settableLabels<string | undefined>(pool, { ...nodeLabels(pool), ...labels });
    const merged = Object.entries(wanted).filter(([, value]) => value !== undefined);
    return { pool, merged: Object.fromEntries(merged) as Record<string, string> };
  };
  await change(clients, ref, {
    what: 'labels of its nodes',
    isDone: async () => {
      const now = nodeLabels((await read()).pool);
      return Object.entries(labels).every(([key, value]) => now[key] === value);
    },
    request: async () => {
      const { pool, merged } = await read();
      const request = {
        name: poolName(clients.project, ref),
        etag: pool.etag ?? '',
        labels: { labels: merged },
      };
      return await changeGke(clients, permission, poolSubject(ref), (gke, options) =>
        gke.updateNodePool(request, options),
      );
    },
  });
}

/** Switches the cluster autoscaler of the pool on with these limits, or off. */
export async function setAutoscaling(clients: GkeClients, ref: PoolRef, wanted: Autoscaling): Promise<void> {
  const name = poolName(clients.project, ref);
  await change(clients, ref, {
    what: wanted.enabled === true ? 'cluster autoscaler on' : 'cluster autoscaler off',
    isDone: async () => sameLimits((await requireNodePool(clients, ref)).autoscaling ?? {}, wanted),
    request: async () =>
      await changeGke(clients, permission, poolSubject(ref), (gke, options) =>
        gke.setNodePoolAutoscaling({ name, autoscaling: wanted }, options),
      ),
  });
}

function sameLimits(now: Autoscaling, wanted: Autoscaling): boolean {
  if ((now.enabled ?? false) !== (wanted.enabled ?? false)) return false;
  const counts = ['minNodeCount', 'maxNodeCount', 'totalMinNodeCount', 'totalMaxNodeCount'] as const;
  if (wanted.enabled !== true) return true;
  const { locationPolicy = now.locationPolicy } = wanted;
  return now.locationPolicy === locationPolicy && counts.every((count) => (now[count] ?? 0) === (wanted[count] ?? 0));
}

/** Switches auto-repair and auto-upgrade of the pool on or off. */
export async function setManagement(
  clients: GkeClients,
  ref: PoolRef,
  wanted: { readonly autoUpgrade: boolean; readonly autoRepair: boolean },
): Promise<void> {
  const name = poolName(clients.project, ref);
  await change(clients, ref, {
    what: `auto-repair ${wanted.autoRepair ? 'on' : 'off'}, auto-upgrade ${wanted.autoUpgrade ? 'on' : 'off'}`,
    isDone: async () => {
      const { management } = await requireNodePool(clients, ref);
      const now = { autoUpgrade: management?.autoUpgrade ?? false, autoRepair: management?.autoRepair ?? false };
      return now.autoUpgrade === wanted.autoUpgrade && now.autoRepair === wanted.autoRepair;
    },
    request: async () =>
      await changeGke(clients, permission, poolSubject(ref), (gke, options) =>
        gke.setNodePoolManagement({ name, management: wanted }, options),
      ),
  });
}

/** How long an exclusion lasts that nobody removes, ms: 30 days, which every scope allows (GKE documentation, "Maintenance windows and exclusions"). */
const exclusionMs = 30 * 24 * 3_600_000;

/**
 * Adds or removes the maintenance exclusion of a pool: no upgrades of nodes. It is one of the whole cluster, by a name that tells the pool, and leaves
 * windows and exclusions of others as they are. One that is more than half over is renewed, for a run that lasts for weeks.
 */
export async function setExclusion(clients: GkeClients, ref: PoolRef, wanted: 'present' | 'absent'): Promise<void> {
  const name = clusterName(clients.project, ref);
  const key = exclusionName(ref);
  const readPolicy = async () => (await readCluster(clients, ref)).maintenancePolicy ?? {};
  await change(clients, ref, {
    what: `maintenance exclusion ${key} ${wanted}`,
    isDone: async () => {
      const ours = (await readPolicy()).window?.maintenanceExclusions?.[key];
      return wanted === 'absent' ? ours === undefined : endOf(ours) - clients.clock.now() >= exclusionMs / 2;
    },
    request: async () => {
      const policy = await readPolicy();
      const { [key]: _ours, ...others } = policy.window?.maintenanceExclusions ?? {};
      const now = clients.clock.now();
      const added = {
        startTime: { seconds: Math.trunc(now / 1000) },
        endTime: { seconds: Math.trunc((now + exclusionMs) / 1000) },
        maintenanceExclusionOptions: { scope: 'NO_MINOR_OR_NODE_UPGRADES' as const },
      };
      const maintenanceExclusions = wanted === 'present' ? { ...others, [key]: added } : others;
      const maintenancePolicy = { ...policy, window: { ...policy.window, maintenanceExclusions } };
      return await changeGke(clients, permission, `cluster ${ref.cluster}`, (gke, options) =>
        gke.setMaintenancePolicy({ name, maintenancePolicy }, options),
      );
    },
  });
}

/** When an exclusion ends, epoch ms; 0 for one that is not there. */
function endOf(exclusion: protos.google.container.v1.ITimeWindow | undefined): number {
  return Number(exclusion?.endTime?.seconds ?? 0) * 1000;
}
