import type { ServiceBaseline } from '../core/guard/baseline.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { UnplacedPods } from '../core/model/unplaced.ts';
import type { Direction } from '../core/policy/members.ts';
import type { NodesAside } from '../core/waits/hosts.ts';
import type { PoolStepInput } from './fence.ts';

/** Nodes whose pods are to be surged, as many at a time as the policy allows. */
export interface PodSurgeInput extends PoolStepInput {
  /** Nodes that are to be replaced, in order. */
  readonly waiting: readonly NodeRef[];
  readonly direction: Direction;
  /** Pods that had no node when the run was planned; see UnplacedPods. */
  readonly unplaced?: UnplacedPods;
  /** Baselines of Services; absent where zones need not keep replacements. */
  readonly baselines?: readonly ServiceBaseline[];
  /** Workloads whose pods could not be surged with earlier nodes: they are not tried again. */
  readonly evictedInstead?: readonly string[];
}

/** The result of a pod surge. */
export interface PodSurgeResult {
  /** The nodes whose pods' replacements serve: they may leave together. */
  readonly batch: readonly NodeRef[];
  /** Pods on them that have been released, by node. */
  readonly released: Readonly<Record<string, number>>;
  /** Workloads whose replacements did not come up, each with what was observed last. */
  readonly evictedInstead: readonly { readonly workload: string; readonly reason: string }[];
  /** Nodes with ready pods to which load balancers send nothing; they were not waited for. */
  readonly aside?: NodesAside;
}
