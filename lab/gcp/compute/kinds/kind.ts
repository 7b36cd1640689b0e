import type { World } from '../../world.ts';
import type { ComputeCall } from '../call.ts';
import type { BackendKey, Resource } from '../state.ts';

/** Where resources of a kind can be. */
export type Scope = 'zone' | 'region' | 'global';

/** A method that reads something of one resource; the wire has POST for it. */
type Read = (world: World, resource: Resource, call: ComputeCall) => object;

/** A method that changes something of one resource; returns for how many milliseconds more than others its operation runs. */
type Change = (world: World, resource: Resource, call: ComputeCall) => number;

/** A kind of resource of the Compute API. */
export interface Kind {
  /** As in URLs, e.g. `forwardingRules`. */
  readonly collection: string;
  /** As in the field `kind`, e.g. `forwardingRule`. */
  readonly singular: string;
  /** Names of the API reference by scope, e.g. `forwardingRules` and `globalForwardingRules`. */
  readonly apis: Readonly<Partial<Record<Scope, string>>>;
  readonly methods: readonly ('get' | 'list' | 'aggregatedList' | 'insert' | 'delete' | 'patch' | 'update')[];
  /** Fields that the cloud chooses when one is created. */
  readonly complete?: (world: World, scope: string, body: Readonly<Record<string, unknown>>) => object;
  /** Members that it is created with. */
  readonly firstMembers?: (body: Readonly<Record<string, unknown>>) => readonly BackendKey[];
  /** Fields that follow from others. */
  readonly derive?: (world: World, resource: Resource) => object;
  readonly reads?: Readonly<Record<string, Read>>;
  readonly changes?: Readonly<Record<string, Change>>;
}
