import type { protos } from '@google-cloud/container';

type Api = typeof protos.google.container.v1;
/** A node pool as the API returns it. */
export type NodePoolMessage = InstanceType<Api['NodePool']> | protos.google.container.v1.INodePool;
type Autoscaling = protos.google.container.v1.INodePoolAutoscaling;

/** Resource label of a replacement pool: the run that created it. Its VMs have it too. It is set when the pool is created, and never changed. */
export const createdByLabel = 'nodeferry-created-by';
/** Resource label of a replacement pool: the pool that it replaces. */
export const replacesLabel = 'nodeferry-replaces';
/**
 * Node label of a pool whose scaling is suspended: everything that nodeferry changed. It allows a restore even when the answer to the change was lost. It
 * is written before the change and removed after everything is restored. Labels of nodes change in place (GKE documentation, "Update Kubernetes node
 * labels and taints for node pools"). A new resource label would have GKE recreate all nodes (`gcloud container node-pools update --help`, `--labels`).
 */
export const suspendedLabel = 'nodeferry.dev/suspended';
/** Node label of a replacement pool: the autoscaling that its source's owner chose, while the pool may not shrink below its first size. */
export const ownersLimitsLabel = 'nodeferry.dev/autoscaling';

/** Node auto-repair of the pool. */
export const repair = 'repair';
/** Node auto-upgrade of the pool. */
export const upgrade = 'upgrade';
/** A maintenance exclusion of the cluster that stands for auto-upgrade, which a release channel does not allow to be turned off. */
export const exclusion = 'exclusion';

const scalePrefix = 'scale-';

/** Labels of the pool's Compute Engine resources. */
export function resourceLabels(pool: NodePoolMessage): Readonly<Record<string, string>> {
  return pool.config?.resourceLabels ?? {};
}

/** Kubernetes labels of the pool's nodes. */
export function nodeLabels(pool: NodePoolMessage): Readonly<Record<string, string>> {
  return pool.config?.labels ?? {};
}

/** Labels of a pool's nodes that its owner chose. */
export function ownersLabels(pool: NodePoolMessage): Readonly<Record<string, string>> {
  const ours = [suspendedLabel, ownersLimitsLabel];
  return Object.fromEntries(Object.entries(nodeLabels(pool)).filter(([key]) => !ours.includes(key)));
}

/** A label value: Compute Engine allows lower-case letters, digits, `_` and `-`, and 63 of them. Anything else is written as `_` and its code. */
export function labelValue(text: string): string {
  return text.replace(/[^a-z0-9-]/g, (char) => `_${char.charCodeAt(0).toString(16)}`).slice(0, 63);
}

/** What of the pool is suspended by us; undefined when nothing is. */
export function suspendedSettings(pool: NodePoolMessage): string[] | undefined {
  const value = nodeLabels(pool)[suspendedLabel];
  return value === undefined ? undefined : value.split('_').filter((entry) => entry !== '');
}

/**
 * What of the pool is not as its owner chose, because of us: what is suspended, or the limits of a replacement pool whose run has not ended that. Undefined
 * when nothing is.
 */
export function changedSettings(pool: NodePoolMessage): string[] | undefined {
  const limits = nodeLabels(pool)[ownersLimitsLabel];
  return suspendedSettings(pool) ?? (limits === undefined ? undefined : [limits]);
}

/** The entries as a label value. */
export function suspendedValue(entries: readonly string[]): string {
  return entries.join('_');
}

/** The entries for people. */
export function explainEntries(entries: readonly string[]): readonly string[] {
  return entries.map((entry) => {
    const limits = scaleOf([entry]);
    if (limits !== undefined) return explainLimits(limits);
    if (entry === exclusion) return 'upgrades of its nodes (a maintenance exclusion)';
    return `auto-${entry}`;
  });
}

function explainLimits({ minNodeCount, maxNodeCount, totalMinNodeCount, totalMaxNodeCount }: Autoscaling): string {
  const limits = totalMaxNodeCount
    ? `${totalMinNodeCount ?? 0} to ${totalMaxNodeCount} nodes`
    : `${minNodeCount ?? 0} to ${maxNodeCount ?? 0} nodes per zone`;
  return `cluster autoscaler (${limits})`;
}

/** The entry for limits of the cluster autoscaler, e.g. `scale-1-4-0-0-balanced`: per zone, in total, and where it adds nodes. */
export function scaleEntry(limits: Autoscaling): string {
  const numbers = [limits.minNodeCount, limits.maxNodeCount, limits.totalMinNodeCount, limits.totalMaxNodeCount];
  return `${scalePrefix}${numbers.map((count) => count ?? 0).join('-')}-${limits.locationPolicy === 'ANY' ? 'any' : 'balanced'}`;
}

/** The limits among the entries; undefined when the autoscaler was not on. */
export function scaleOf(entries: readonly string[]): Autoscaling | undefined {
  const entry = entries.find((one) => one.startsWith(scalePrefix));
  if (entry === undefined) return undefined;
  const [min, max, totalMin, totalMax, policy] = entry.slice(scalePrefix.length).split('-');
  return {
    enabled: true,
    minNodeCount: Number(min),
    maxNodeCount: Number(max),
    totalMinNodeCount: Number(totalMin),
    totalMaxNodeCount: Number(totalMax),
    locationPolicy: policy === 'any' ? 'ANY' : 'BALANCED',
  };
}

/** The autoscaling that the pool's owner chose, whether or not it is suspended or limited by us now; undefined when it is off. */
export function ownersAutoscaling(pool: NodePoolMessage): Autoscaling | undefined {
  const recorded = scaleOf([...(suspendedSettings(pool) ?? []), nodeLabels(pool)[ownersLimitsLabel] ?? '']);
  return recorded ?? (pool.autoscaling?.enabled === true ? pool.autoscaling : undefined);
}

/** The management that the pool's owner chose. */
export function ownersManagement(pool: NodePoolMessage): {
  readonly autoUpgrade: boolean;
  readonly autoRepair: boolean;
} {
  const entries = suspendedSettings(pool) ?? [];
  const { autoUpgrade, autoRepair } = pool.management ?? {};
  return {
    autoUpgrade: autoUpgrade === true || entries.includes(upgrade),
    autoRepair: autoRepair === true || entries.includes(repair),
  };
}
