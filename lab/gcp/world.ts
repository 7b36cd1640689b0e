import type { Clock } from '../aws/clock.ts';
import type { InstanceHooks } from '../contracts.ts';
import type { Balancing } from './compute/balancing/state.ts';
import type { ComputeOperation, Instance, InstanceGroup, Resource } from './compute/state.ts';
import type { FaultState } from './faults.ts';
import type { Cluster, GkeOperation } from './gke/state.ts';
import type { GcpDelays } from './presets.ts';

/** Everything that exists in the simulated Google. Handlers change it; tests may read it. */
export interface World {
  readonly project: string;
  readonly region: string;
  readonly zones: readonly string[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly delays: GcpDelays;
  readonly hooks: InstanceHooks;
  readonly faults: FaultState;
  /** Base of the URLs of Compute Engine's resources. */
  readonly computeBase: string;
  /** By name. */
  readonly clusters: Map<string, Cluster>;
  /** By name, oldest first. */
  readonly gkeOperations: Map<string, GkeOperation>;
  /** By `zone/name`; so are the groups. */
  readonly instances: Map<string, Instance>;
  readonly groups: Map<string, InstanceGroup>;
  /** The host number that a VM of each zone got last. */
  readonly lastHosts: Map<string, number>;
  /** When a member on the VM was last told to drain, epoch ms, by name. */
  readonly deregisteredAt: Map<string, number>;
  /** Everything else of Compute Engine, by its path below the project. */
  readonly resources: Map<string, Resource>;
  /** Names of VMs and addresses of endpoints that fail every health check. Without effect with a data plane. */
  readonly failing: Set<string>;
  /** By name. */
  readonly computeOperations: Map<string, ComputeOperation>;
  /** Operations by the request ID that they were asked for with. */
  readonly requestIds: Map<string, ComputeOperation>;
  /** Called when the members of a group have changed. */
  readonly groupListeners: ((group: InstanceGroup) => void)[];
  /** Load balancers with a data plane; undefined without one: then `failing` and a delay decide about health. */
  readonly balancing: Balancing | undefined;
  /** Called for every change of anything of Compute Engine. */
  readonly changeListeners: Set<() => void>;
}

/** Notifies that something of Compute Engine changed. */
export function notifyChange(world: World): void {
  for (const listener of world.changeListeners) listener();
}

/** Calls the action once after a delay. */
export function later(world: World, ms: number, action: () => void): void {
  world.clock.after(ms, action);
}

/** A time as Google writes it. */
export function timestamp(world: World): string {
  return new Date(world.clock.now()).toISOString();
}

/** This many decimal digits, without leading zero. */
export function randomId(world: World, digits: number): string {
  return Array.from({ length: digits }, (_, at) => String(Math.floor(world.random() * 9) + (at === 0 ? 1 : 0))).join(
    '',
  );
}
