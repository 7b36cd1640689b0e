import { eksTraits } from '../../../adapters/eks/traits.ts';
import { gkeTraits } from '../../../adapters/gke/traits.ts';
import type { ProviderTraits } from '../../../ports/provider.ts';

/** In what the pools of clouds differ by nature. */
export interface PoolTraits {
  /** The two zones of the pool `web`. */
  readonly zones: readonly [string, string];
  /** Label by which a Node names its pool. */
  readonly poolLabel: string;
  /** Instances that a pool has for which so many were asked. */
  readonly sizeFor: (asked: number) => number;
  /** Instances that zones get for which so many each were asked, as its traits say. */
  readonly spread: ProviderTraits['spread'];
  /** Instances that zones of a pool that grows get, or get back, for which so many each were asked. */
  readonly grows: ProviderTraits['grows'];
  /** What adds, moves or replaces instances on its own, in the cloud's words. */
  readonly processes: readonly string[];
  /** What suspending the scaling of `web` returns, sorted. */
  readonly suspension: readonly string[];
  /** The same as people are told, sorted. */
  readonly suspensionInWords: readonly string[];
  /** What is changed in a replacement until its run restores it, as people are told. */
  readonly changedInReplacement: readonly string[];
  /** The entry in `suspension` that has the pool's minimum. */
  readonly minimumEntry: string;
  /** One of the processes, for somebody else to suspend. */
  readonly suspendable: string;
  /** What is suspended in a pool that does without instances that it never got. */
  readonly trimSuspends: readonly string[];
  /** Whether launching can be suspended by itself. */
  readonly suspendsLaunching: boolean;
  /** The minimum that is restored for a pool with so many instances left. */
  readonly restoredMinimum: (left: number) => number;
  /** How the cloud says that it has no instances. */
  readonly noCapacity: RegExp;
  /** Whether the cloud moves instances between zones. If not, each zone has a size of its own. */
  readonly rebalances: boolean;
  /** Whether an instance that somebody ends comes back as the same one, also while scaling is suspended. If not, another takes its place. */
  readonly repairsInPlace: boolean;
}

const processes = ['AZRebalance', 'AlarmNotification', 'InstanceRefresh', 'ReplaceUnhealthy', 'ScheduledActions'];

/** Auto Scaling groups of AWS, and the simulator that follows them. */
export const autoScalingGroups: PoolTraits = {
  zones: ['eu-west-1a', 'eu-west-1b'],
  poolLabel: 'eks.amazonaws.com/nodegroup',
  sizeFor: (asked) => asked,
  spread: eksTraits.spread,
  grows: eksTraits.grows,
  processes,
  suspension: [...processes, 'min-size:2'],
  suspensionInWords: [...processes, 'minimum size 2'],
  changedInReplacement: ['minimum size 2'],
  minimumEntry: 'min-size:2',
  suspendable: 'AZRebalance',
  trimSuspends: ['Launch'],
  suspendsLaunching: true,
  restoredMinimum: (left) => left,
  noCapacity: /capacity/i,
  rebalances: true,
  repairsInPlace: false,
};

/** Node pools of GKE: a managed instance group for each zone, all of the same size when they are created. */
export const nodePoolsOfGke: PoolTraits = {
  zones: ['europe-west1-b', 'europe-west1-c'],
  poolLabel: 'cloud.google.com/gke-nodepool',
  spread: gkeTraits.spread,
  grows: gkeTraits.grows,
  sizeFor: (asked) => 2 * Math.ceil(asked / 2),
  processes: ['repair', 'scale', 'upgrade'],
  suspension: ['repair', 'scale-1-4-0-0-balanced', 'upgrade'],
  suspensionInWords: ['auto-repair', 'auto-upgrade', 'cluster autoscaler (1 to 4 nodes per zone)'],
  changedInReplacement: ['cluster autoscaler (1 to 4 nodes per zone)'],
  minimumEntry: 'scale-1-4-0-0-balanced',
  suspendable: 'repair',
  trimSuspends: [],
  suspendsLaunching: false,
  restoredMinimum: (left) => 2 * Math.min(1, Math.floor(left / 2)),
  noCapacity: /does not have enough resources available/,
  rebalances: false,
  repairsInPlace: true,
};
