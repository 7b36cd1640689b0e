import type { protos } from '@google-cloud/container';
import type { TargetPolicy } from '../../core/policy/policy.ts';
import type { ZonedSize } from '../../core/surge/zoned-size.ts';
import { settableLabels, settableTaints } from './managed-settings.ts';
import {
  createdByLabel,
  labelValue,
  type NodePoolMessage,
  ownersAutoscaling,
  ownersLabels,
  ownersLimitsLabel,
  ownersManagement,
  replacesLabel,
  resourceLabels,
  scaleEntry,
} from './settings-label.ts';

type NodePool = protos.google.container.v1.INodePool;

/** What the replacement must look like. */
export interface CloneRequest {
  readonly target: TargetPolicy;
  /** Number of instances to start with, in all zones. */
  readonly size: number;
  /** How many of them each zone needs; absent where nothing is known. */
  readonly zones?: ZonedSize;
  /** Whether there may never be more than `size`. */
  readonly isLimit?: boolean;
  readonly run: string;
}

/** Fields of a node pool that a replacement does not take over from its source, and why. All others it takes over. */
const notClonedFromPool = {
  name: 'the replacement has its own',
  version: 'the policy chooses it',
  initialNodeCount: 'the run chooses it',
  autoscaling: 'the replacement may not shrink before it is used; then it has the limits of its source',
  management: 'the source’s may be suspended; the replacement has what its owner chose',
  etag: 'GKE writes it',
  selfLink: 'GKE writes it',
  instanceGroupUrls: 'GKE writes it',
  status: 'GKE writes it',
  statusMessage: 'GKE writes it',
  conditions: 'GKE writes it',
  podIpv4CidrSize: 'GKE derives it from maxPodsConstraint',
  updateInfo: 'it belongs to an upgrade of the source',
} as const satisfies Partial<Record<keyof NodePool, string>>;

/** The same for its node configuration. */
const notClonedFromConfig = {
  effectiveCgroupMode: 'GKE writes it',
} as const satisfies Partial<Record<keyof protos.google.container.v1.INodeConfig, string>>;

/** The same for its network. */
const notClonedFromNetwork = {
  podIpv4CidrBlock: 'it is for a new range',
  podIpv4RangeUtilization: 'GKE writes it',
  networkTierConfig: 'GKE writes it',
} as const satisfies Partial<Record<keyof NonNullable<NodePool['networkConfig']>, string>>;

/** Resource labels that GKE itself sets, and ours, which belong to one pool. */
const foreignLabels = /^(?:goog-|nodeferry-)/;

/**
 * A node pool like `source` with the target's changes (GKE API reference, NodePool and NodeConfig). Sizes are per zone there, so the replacement has
 * at least as many instances as asked for in each zone, and the same number in all; none where that would be more than it may have.
 */
export function cloneNodePool(source: NodePoolMessage, request: CloneRequest): NodePool {
  const { target, size, run } = request;
  const wanted = perZone(request, source);
  const count = request.isLimit === true && wanted * zonesOf(source) > size ? 0 : wanted;
  const autoscaling = count === 0 ? limitsFrom(source, size) : limitsPerZone(source, count);
  const owner = ownersAutoscaling(source);
  const kept = Object.entries(resourceLabels(source)).filter(([key]) => !foreignLabels.test(key));
  return {
    ...without(source, notClonedFromPool),
    name: target.poolName,
    version: target['releaseVersion'] ?? target.version ?? source.version ?? '',
    initialNodeCount: count,
    management: ownersManagement(source),
    ...(autoscaling && { autoscaling }),
    ...(source.networkConfig && { networkConfig: networkOf(source.networkConfig) }),
    ...(source.maintenancePolicy && { maintenancePolicy: exclusionOf(source.maintenancePolicy) }),
    config: {
      ...without(source.config ?? {}, notClonedFromConfig),
      resourceLabels: {
        ...Object.fromEntries(kept),
        [createdByLabel]: labelValue(run),
        [replacesLabel]: labelValue(source.name ?? ''),
      },
      labels: {
        ...settableLabels(source, ownersLabels(source)),
        ...(owner && { [ownersLimitsLabel]: scaleEntry(owner) }),
      },
      ...(source.config?.taints && { taints: settableTaints(source) }),
    },
  };
}

/** Instances in each zone of a pool that has at least `size` of them, and in each zone as many as it needs. */
function perZone({ size, zones = {} }: CloneRequest, pool: NodePoolMessage): number {
  const needs = (pool.locations ?? []).map((zone) => zones[zone] ?? 0);
  return Math.max(Math.ceil(size / zonesOf(pool)), ...needs);
}

function zonesOf({ locations }: NodePoolMessage): number {
  return Math.max(1, locations?.length ?? 1);
}

/**
 * The autoscaling that the pool's owner chose, but never below `count` nodes in each zone: until the pods have moved, the autoscaler would remove the
 * new nodes as unneeded. Undefined when it is off.
 */
function limitsPerZone(pool: NodePoolMessage, count: number): NodePool['autoscaling'] | undefined {
  const owner = ownersAutoscaling(pool);
  if (owner === undefined || owner.totalMaxNodeCount) return limitsFrom(pool, count * zonesOf(pool));
  const limits = { minNodeCount: count, maxNodeCount: Math.max(owner.maxNodeCount ?? 0, count) };
  return { enabled: true, locationPolicy: owner.locationPolicy ?? 'BALANCED', ...limits };
}

/**
 * The same for `total` nodes in zones that differ: limits in total and per zone are "mutually exclusive" (GKE API reference, NodePoolAutoscaling).
 * Undefined when it is off.
 */
export function limitsFrom(pool: NodePoolMessage, total: number): NodePool['autoscaling'] | undefined {
  const owner = ownersAutoscaling(pool);
  if (owner === undefined) return undefined;
  const most = owner.totalMaxNodeCount || (owner.maxNodeCount ?? 0) * zonesOf(pool);
  const limits = { totalMinNodeCount: total, totalMaxNodeCount: Math.max(most, total) };
  return { enabled: true, locationPolicy: owner.locationPolicy ?? 'BALANCED', ...limits };
}

/**
 * The ranges exist already: a block applies only "if create_pod_range is true". How full they are, and the network tier, GKE writes (GKE API reference,
 * NodeNetworkConfig).
 */
function networkOf(network: NonNullable<NodePool['networkConfig']>): NonNullable<NodePool['networkConfig']> {
  return { ...without(network, notClonedFromNetwork), createPodRange: false };
}

/** Its times are GKE's. */
function exclusionOf({ exclusionUntilEndOfSupport }: NonNullable<NodePool['maintenancePolicy']>) {
  return { exclusionUntilEndOfSupport: { enabled: exclusionUntilEndOfSupport?.enabled ?? false } };
}

function without<T extends object>(from: T, left: Readonly<Record<string, string>>): Partial<T> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !Object.hasOwn(left, key))) as Partial<T>;
}
