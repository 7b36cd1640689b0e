import type { UnreadyBefore } from '../eviction/unready-before.ts';
import type { ServiceBaseline } from '../guard/baseline.ts';
import type { MinServing } from '../guard/min-serving.ts';
import type { NodeRef } from '../model/node.ts';
import type { PoolRef } from '../model/pool.ts';
import type { UnplacedPods } from '../model/unplaced.ts';
import type { Policy } from '../policy/policy.ts';
import type { ExpectedTimes } from '../schedule/needed-time.ts';
import type { ZonedSize } from '../surge/zoned-size.ts';
import type { Finding } from './finding.ts';
import type { WorkloadSurge } from './pod-surge-plan.ts';

/** The plan of one pool upgrade: what a person approves and what the workflow carries out. Plain data, kept small. */
export interface PoolPlan {
  readonly run: string;
  readonly policy: Policy;
  readonly oldPool: PoolRef;
  readonly newPool: PoolRef;
  readonly fromVersion: string;
  readonly toVersion: string;
  /** Nodes to replace, in the order in which they will be excluded (if the guard allows it). */
  readonly nodes: readonly NodeRef[];
  /** Instances of the new pool at the end. */
  readonly surge: number;
  /** Desired size of the old pool; absent when it is `surge`. */
  readonly oldSize?: number;
  /** Desired size of the new pool before the run; absent for a pool that the run creates. */
  readonly foundSize?: number;
  /** The most of them at a time for which no old node has left yet; absent when all come at once. */
  readonly surgeAtOnce?: number;
  /** How many of the new instances each zone needs; absent where they differ by one at most, and the cloud gives each zone what it needs. */
  readonly zones?: ZonedSize;
  /** How each Service is protected as things are now. A run observes again before every act. */
  readonly services: readonly ServicePlan[];
  /** Which workloads use pod surge and which are evicted, and why; absent when the policy has no pod surge. */
  readonly podSurge?: readonly WorkloadSurge[];
  /** What each Service serves now. The run continues from there. */
  readonly baselines: readonly ServiceBaseline[];
  /** Pods that workloads need and that have no node now; absent when there are none. */
  readonly unplaced?: UnplacedPods;
  /** Pods behind Services that are not ready now; absent when all are, and in plans of older versions. */
  readonly unreadyBefore?: UnreadyBefore;
  readonly findings: readonly Finding[];
  /** What must fit into an upgrade window; absent in plans of older versions. */
  readonly expected?: ExpectedTimes;
  /** Expected duration, ms, and its parts. */
  readonly estimate: {
    readonly totalMs: number;
    readonly terms: readonly { readonly name: string; readonly ms: number }[];
    /** The most instance time that the run costs beyond what the pool costs anyway, minutes; absent in plans of older versions. */
    readonly instanceMinutes?: number;
  };
}

/**
 * What steps for whole pools need of a plan. Without its nodes, the plans of its Services and its findings, which would only enlarge the payload.
 */
export type PlanInBrief = Pick<
  PoolPlan,
  'run' | 'policy' | 'oldPool' | 'newPool' | 'surge' | 'surgeAtOnce' | 'zones' | 'baselines'
>;

/** The plan without the parts that only its readers need. */
export function summarize(plan: PoolPlan): PlanInBrief {
  const { run, policy, oldPool, newPool, surge, surgeAtOnce, zones, baselines } = plan;
  const sizes = { surge, ...(surgeAtOnce === undefined ? {} : { surgeAtOnce }), ...(zones && { zones }) };
  return { run, policy, oldPool, newPool, ...sizes, baselines };
}

/** How one Service is protected while nodes leave. */
export interface ServicePlan {
  /** `namespace/name`. */
  readonly service: string;
  readonly externalTrafficPolicy: 'Local' | 'Cluster';
  readonly targetGroups: readonly string[];
  readonly minServing: MinServing;
  /** Wait between observed deregistration and the first eviction, ms. */
  readonly connectionDrainMs: number;
  /** Maximum time that a connection through a node can live after the last new one, ms; 0 when no connection passes through. */
  readonly forwardedMs: number;
  /** Pods of the Service are removed from its endpoints before they are evicted. */
  readonly removeEndpoints: boolean;
  /** They would be if admission did not deny it. Absent otherwise. */
  readonly removalDenied?: true;
}
