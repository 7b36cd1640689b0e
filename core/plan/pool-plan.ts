import type { NodeRef } from '../model/node.ts';
import type { PoolRef } from '../model/pool.ts';
import type { Policy } from '../policy/policy.ts';
import type { Finding } from './finding.ts';

/** The plan of one pool upgrade: what a person approves and what the workflow carries out. Plain data, kept small. */
export interface PoolPlan {
  readonly run: string;
  readonly policy: Policy;
  readonly oldPool: PoolRef;
  readonly newPool: PoolRef;
  readonly fromVersion: string;
  readonly toVersion: string;
  /** Nodes to replace, in the order in which they will step out (guard permitting). */
  readonly nodes: readonly NodeRef[];
  readonly surge: number;
  readonly services: readonly ServicePlan[];
  readonly findings: readonly Finding[];
  /** Expected duration, ms, and how it comes about. */
  readonly estimate: {
    readonly totalMs: number;
    readonly terms: readonly { readonly name: string; readonly ms: number }[];
  };
}

/** How one Service is protected while nodes leave. */
export interface ServicePlan {
  /** `namespace/name`. */
  readonly service: string;
  readonly externalTrafficPolicy: 'Local' | 'Cluster';
  readonly targetGroups: readonly string[];
  readonly floor: Floor;
  /** Wait between observed deregistration and the first eviction, ms. */
  readonly drainMs: number;
  /** Longest that a connection through a node can live after the last new one, ms; 0 when none passes through. */
  readonly transitMs: number;
  /** Pods of the Service leave its endpoints before they are evicted. */
  readonly unlist: boolean;
}

/** The least that must keep serving, fixed when the run begins. */
export interface Floor {
  /** Serving targets over all zones. */
  readonly targets: number;
  /** Serving targets per zone; only for load balancers with cross-zone off. */
  readonly perZone: Readonly<Record<string, number>>;
  /** Ready endpoints that the Service's PodDisruptionBudget demands; 0 without one. */
  readonly endpoints: number;
  /** Where the figure comes from, e.g. `pdb web (minAvailable)`, `policy`, `75 % of 4`. */
  readonly source: string;
}
