import type { PoolRef, SuspendedScaling, SuspensionToken } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { entriesOf, tokenOf } from '../calls/suspension-token.ts';
import type { GkeClients } from './clients.ts';
import { desiredSize } from './map.ts';
import { exclusionName, poolSubject } from './names.ts';
import { findPool, type PoolObservation, readCluster, requireNodePool } from './observe.ts';
import { setAutoscaling, setExclusion, setManagement, setNodeLabels } from './settings.ts';
import {
  createdByLabel,
  exclusion,
  type NodePoolMessage,
  nodeLabels,
  ownersAutoscaling,
  ownersLimitsLabel,
  repair,
  resourceLabels,
  scaleEntry,
  scaleOf,
  suspendedLabel,
  suspendedSettings,
  suspendedValue,
  upgrade,
} from './settings-label.ts';
import { trimPool } from './sizes.ts';

/**
 * Switches off what adds, moves or replaces VMs of the pool: the cluster autoscaler, auto-repair and auto-upgrade. A release channel does not allow the
 * latter two to be off; there a maintenance exclusion keeps upgrades away, and auto-repair stays on. Managed instance groups never move a VM to another
 * zone. Returns what was changed, the same on every call. A pool of a run that is being created gets no more VMs than it has: GKE would try for half an
 * hour to create the others, and change nothing else meanwhile. @throws NodeferryError Conflict while the pool is being created
 */
export async function suspendScaling(clients: GkeClients, ref: PoolRef): Promise<SuspensionToken> {
  const pool = await requireNodePool(clients, ref);
  if (pool.status === 'PROVISIONING') {
    if (resourceLabels(pool)[createdByLabel] !== undefined) await trimPool(clients, ref);
    throw new NodeferryError({
      code: 'Conflict',
      message: `${poolSubject(ref)} is being created, and GKE changes no settings of it before that is done`,
    });
  }
  const found = await findEntries(clients, ref, pool);
  const { entries } = found;
  if (entries.length === 0) return tokenOf([]);
  await recordEntries(clients, ref, found);
  if (scaleOf(entries) !== undefined) await setAutoscaling(clients, ref, { enabled: false });
  if (entries.includes(repair) || entries.includes(upgrade)) {
    const { management } = await requireNodePool(clients, ref);
    await setManagement(clients, ref, {
      autoRepair: management?.autoRepair === true && !entries.includes(repair),
      autoUpgrade: management?.autoUpgrade === true && !entries.includes(upgrade),
    });
  }
  if (entries.includes(exclusion)) await setExclusion(clients, ref, 'present');
  return tokenOf(entries);
}

/**
 * Switches off what has to be off before a pool of the cluster is created. The cluster autoscaler would take new nodes without pods for room that the
 * pods of old nodes fit into, and drain one of them by rules of its own (GKE documentation, "About cluster autoscaling"). The maintenance exclusion
 * changes the cluster, and GKE runs either one operation of the cluster or one of each node pool at a time ("Troubleshoot concurrent operations"): it
 * would have to wait until the new pool is complete, which may be never. Other settings of this pool do not.
 */
export async function suspendFirst(clients: GkeClients, ref: PoolRef): Promise<void> {
  const found = await findEntries(clients, ref, await requireNodePool(clients, ref));
  const isScaled = scaleOf(found.entries) !== undefined;
  const needsExclusion = found.entries.includes(exclusion);
  if (!isScaled && !needsExclusion) return;
  await recordEntries(clients, ref, found);
  if (isScaled) await setAutoscaling(clients, ref, { enabled: false });
  if (needsExclusion) await setExclusion(clients, ref, 'present');
}

/** What is to be suspended, and how much of it is recorded on the pool. */
interface FoundEntries {
  readonly known: readonly string[];
  /** Those, and what else is on now. */
  readonly entries: readonly string[];
}

async function findEntries(clients: GkeClients, ref: PoolRef, pool: NodePoolMessage): Promise<FoundEntries> {
  const { releaseChannel } = await readCluster(clients, ref);
  const inChannel = (releaseChannel?.channel ?? 'UNSPECIFIED') !== 'UNSPECIFIED';
  const known = suspendedSettings(pool) ?? [];
  const entries = [...known, ...suspensionEntries(pool, inChannel).filter((entry) => !covers(known, entry))];
  return { known, entries };
}

/** Records it before anything is switched off. */
async function recordEntries(clients: GkeClients, ref: PoolRef, { known, entries }: FoundEntries): Promise<void> {
  if (entries.length > known.length) await setNodeLabels(clients, ref, { [suspendedLabel]: suspendedValue(entries) });
}

/** What is on now and will be off. Limits that we have raised ourselves are restored as the pool's owner chose them. */
function suspensionEntries(pool: NodePoolMessage, inChannel: boolean): string[] {
  const scale = pool.autoscaling?.enabled === true ? [scaleEntry(ownersAutoscaling(pool) ?? {})] : [];
  if (inChannel) return [...scale, exclusion];
  const { autoRepair, autoUpgrade } = pool.management ?? {};
  return [...scale, ...(autoRepair === true ? [repair] : []), ...(autoUpgrade === true ? [upgrade] : [])];
}

/** An earlier run may have left some of it suspended; that stays ours to restore. */
function covers(known: readonly string[], entry: string): boolean {
  return known.includes(entry) || (scaleOf([entry]) !== undefined && scaleOf(known) !== undefined);
}

/**
 * Restores what `suspendScaling` changed: the entries of the token and those in the label. The autoscaler's minimum is restored only up to the nodes that are
 * left, because a higher one would add nodes. A pool that is gone or being deleted needs nothing but the end of its maintenance exclusion, whether or not
 * the token tells of it. Nothing has to stay suspended.
 */
export async function restoreScaling(
  clients: GkeClients,
  ref: PoolRef,
  token: SuspensionToken | undefined,
): Promise<readonly []> {
  const observation = await findPool(clients, ref);
  if (observation === undefined || observation.pool.status === 'STOPPING') {
    await setExclusion(clients, ref, 'absent');
    return [];
  }
  const { pool } = observation;
  const suspended = suspendedSettings(pool);
  const recorded = nodeLabels(pool)[ownersLimitsLabel];
  const entries = [...new Set([...(suspended ?? []), ...entriesOf(token)])];
  const limits = scaleOf(entries) ?? scaleOf([recorded ?? '']);
  if (limits !== undefined) await setAutoscaling(clients, ref, withinSize(limits, observation));
  if (entries.includes(repair) || entries.includes(upgrade)) {
    await setManagement(clients, ref, {
      autoRepair: pool.management?.autoRepair === true || entries.includes(repair),
      autoUpgrade: pool.management?.autoUpgrade === true || entries.includes(upgrade),
    });
  }
  if (entries.includes(exclusion)) await setExclusion(clients, ref, 'absent');
  if (suspended !== undefined || recorded !== undefined) {
    await setNodeLabels(clients, ref, { [suspendedLabel]: undefined, [ownersLimitsLabel]: undefined });
  }
  return [];
}

/** The maintenance exclusion of a pool that is gone: it belongs to the cluster. Undefined where there is none. */
export async function findOrphaned(clients: GkeClients, ref: PoolRef): Promise<SuspendedScaling | undefined> {
  const { maintenancePolicy } = await readCluster(clients, ref);
  const name = exclusionName(ref);
  if (!Object.hasOwn(maintenancePolicy?.window?.maintenanceExclusions ?? {}, name)) return undefined;
  return { token: tokenOf([exclusion]), what: [`upgrades of nodes (maintenance exclusion ${name} of the cluster)`] };
}

function withinSize(limits: NonNullable<NodePoolMessage['autoscaling']>, observation: PoolObservation) {
  const smallest = Math.min(...observation.groups.map(({ targetSize }) => targetSize));
  return {
    ...limits,
    minNodeCount: Math.min(limits.minNodeCount ?? 0, smallest),
    totalMinNodeCount: Math.min(limits.totalMinNodeCount ?? 0, desiredSize(observation)),
  };
}
