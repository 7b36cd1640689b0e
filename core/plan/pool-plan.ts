import type { ServiceBaseline } from '../guard/baseline.ts';
import type { MinServing } from '../guard/min-serving.ts';
import type { NodeRef } from '../model/node.ts';
import type { PoolRef } from '../model/pool.ts';
import type { UnplacedPods } from '../model/unplaced.ts';
import type { Policy } from '../policy/policy.ts';
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
  /** Nodes to replace, in the order in which they will step out (guard permitting). */
  readonly nodes: readonly NodeRef[];
  /** Machines of the new pool in the end. */
  readonly surge: number;
  /** As many of them at a time as stand in for nobody yet; absent when all come at once. */
  readonly surgeAtOnce?: number;
  /** How each Service is protected as things are now; a run looks again before every act. */
  readonly services: readonly ServicePlan[];
  /** Whose pods are replaced before they leave, and whose are evicted, and why; absent where the policy hands none over. */
  readonly podSurge?: readonly WorkloadSurge[];
  /** What each Service serves now, from which the run goes on to learn. */
  readonly baselines: readonly ServiceBaseline[];
  /** Pods that workloads want and that have no node now; absent where none lacks one. */
  readonly unplaced?: UnplacedPods;
  readonly findings: readonly Finding[];
  /** Expected duration, ms, and how it comes about. */
  readonly estimate: {
    readonly totalMs: number;
    readonly terms: readonly { readonly name: string; readonly ms: number }[];
    /** The most machine time that the run costs beyond what the pool costs anyway, minutes; absent in plans of older versions. */
    readonly instanceMinutes?: number;
  };
}

/** What steps about whole pools need of a plan: not its nodes, Services' plans and findings, which a payload would carry for nothing. */
export type PlanInBrief = Pick<
  PoolPlan,
  'run' | 'policy' | 'oldPool' | 'newPool' | 'surge' | 'surgeAtOnce' | 'baselines'
>;

/** The plan without what only its readers need. */
export function summarize({ run, policy, oldPool, newPool, surge, surgeAtOnce, baselines }: PoolPlan): PlanInBrief {
  return { run, policy, oldPool, newPool, surge, ...(surgeAtOnce === undefined ? {} : { surgeAtOnce }), baselines };
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
  /** Longest that a connection through a node can live after the last new one, ms; 0 when none passes through. */
  readonly forwardedMs: number;
  /** Pods of the Service leave its endpoints before they are evicted. */
  readonly removeEndpoints: boolean;
}
