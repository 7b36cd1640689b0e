import type { protos } from '@google-cloud/container';

type NodePoolMessage = protos.google.container.v1.INodePool;

/** A GKE cluster. */
export interface Cluster {
  readonly name: string;
  /** A region, or a zone for a zonal cluster. */
  readonly location: string;
  /** Zones that its node pools have when they name none. */
  readonly zones: readonly string[];
  readonly autopilot: boolean;
  readonly channel: 'UNSPECIFIED' | 'RAPID' | 'REGULAR' | 'STABLE' | 'EXTENDED';
  readonly version: string;
  maintenance: protos.google.container.v1.IMaintenancePolicy;
  readonly pools: Map<string, NodePool>;
}

/** Status of a node pool (google.container.v1.NodePool.Status). */
type PoolStatus = 'PROVISIONING' | 'RUNNING' | 'RUNNING_WITH_ERROR' | 'RECONCILING' | 'STOPPING' | 'ERROR';

/** A node pool: its message as it was requested and changed since, and what GKE adds to it. */
export interface NodePool {
  readonly name: string;
  spec: NodePoolMessage;
  readonly zones: readonly string[];
  status: PoolStatus;
  conditions: { readonly code: string; readonly canonicalCode: string; readonly message: string }[];
  /** Keys of its managed instance groups, one for each zone. */
  groups: string[];
  /** Counts its changes; the etag. */
  revision: number;
}

/** An operation of GKE. */
export interface GkeOperation {
  readonly name: string;
  readonly type: string;
  readonly cluster: string;
  readonly location: string;
  /** Node pool that it changes; undefined for the whole cluster. */
  readonly pool: string | undefined;
  readonly startedAt: string;
  status: 'PENDING' | 'RUNNING' | 'DONE';
  endedAt: string | undefined;
  error: { readonly code: number; readonly message: string } | undefined;
}
