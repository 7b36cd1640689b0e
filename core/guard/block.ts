import { type BudgetDemand, endWithPods } from '../model/budget-demand.ts';
import { count } from '../text/format.ts';

/** Why a node may not be excluded now. */
export interface GuardBlock {
  /** Name of the node that would be excluded next. */
  readonly node: string;
  /**
   * `targets`, `zone`: the minimum serving of the Service. `endpoints`: a budget. `best`: the Service is below its baseline, and this node may
   * bring it up again. `rollout`: a workload replaces its pods. `stuck-target`: its controller would not deregister the node now. `unnoticed`:
   * the load balancer has not noticed yet that the node no longer serves. `candidate`: without the node, pods of its zone would be taken out of their
   * load balancers. `in-flight`: enough nodes are in progress. `do-not-disrupt`: the owner
   * of the node asks not to disrupt it.
   */
  readonly limit:
    | 'in-flight'
    | 'do-not-disrupt'
    | 'targets'
    | 'zone'
    | 'endpoints'
    | 'best'
    | 'rollout'
    | 'stuck-target'
    | 'unnoticed'
    | 'candidate';
  /** `namespace/name`. */
  readonly service?: string;
  /** `namespace/name` of the PodDisruptionBudget. */
  readonly budget?: string;
  readonly zone?: string;
  /** The minimum that must stay. For `in-flight`, the maximum that may be out. */
  readonly needs: number;
  /** What serves now, before the exclusion. For `in-flight`, how many nodes are out. */
  readonly has: number;
  /** The node serves nothing now, but may again. */
  readonly idle?: boolean;
  /** Where the minimum serving comes from, what is lacking, or the workload or target group concerned. */
  readonly source?: string;
  readonly what?: string;
  /** Only of a budget that can't allow it even with all its pods healthy: nothing ends the block but a change of the budget or of the workload. */
  readonly never?: {
    /** Pods that the budget counts on, and how many of them leave with the node. */
    readonly expects: number;
    readonly takes: number;
    /** What its spec demands, where that is known. */
    readonly demand?: BudgetDemand;
  };
}

/** The block in one sentence, with names and figures. */
export function explainBlock(block: GuardBlock): string {
  const { node, service = '', budget = '', needs, has } = block;
  const again = block.idle === true ? '; the node serves nothing now, but may again' : '';
  switch (block.limit) {
    case 'do-not-disrupt':
      return `${node} waits: its annotation karpenter.sh/do-not-disrupt asks to leave it alone`;
    case 'in-flight':
      return `${node} waits: ${count(has, 'node')} in progress, at most ${needs} may be`;
    case 'endpoints':
      return `${node} waits: budget ${budget} has ${count(has, 'reachable pod')} and must keep ${needs}${again}`;
    case 'rollout':
      return `${node} waits: ${block.what ?? ''} behind ${service} rolls out, and has pods there`;
    case 'stuck-target':
      return `${node} waits: its target in ${block.what ?? ''} is unhealthy.draining, and its controller would not deregister it`;
    case 'unnoticed':
      return `${node} waits: it has no ready endpoint of ${service}, and its target in ${block.what ?? ''} is healthy still`;
    case 'candidate':
      return `${node} waits: it is the last candidate node of ${block.zone ?? ''}, and without one all pods of ${service} there would be taken out of ${block.what ?? ''}`;
    case 'best':
      return `${node} waits: ${service} has ${count(has, block.what ?? '')} and had ${needs} as its baseline${again}`;
    case 'targets':
    case 'zone': {
      const where = block.zone === undefined ? '' : ` in ${block.zone}`;
      const source = block.source === undefined ? '' : ` (${block.source})`;
      return `${node} waits: ${service} has ${count(has, 'serving target')}${where} and must keep ${needs}${source}${again}`;
    }
  }
}

/** What would unblock the node. Undefined where the only advice is to fix what does not serve. */
export function explainRemedy(block: GuardBlock): string | undefined {
  const { limit, service = '', zone = '' } = block;
  if (limit === 'candidate')
    return `Have a node in ${zone} that stays, is Ready and is not excluded, of whatever pool.`;
  if (limit !== 'zone') return explainNever(block);
  return `Have one more pod of ${service} run in ${zone}, on a node that stays; or enable cross-zone load balancing on its load balancer.`;
}

/** Why the block does not end by itself, and what to change. Undefined for one that may. */
export function explainNever({ budget = '', needs, never }: GuardBlock): string | undefined {
  if (never === undefined) return undefined;
  const { expects, takes, demand } = never;
  const [namespace = '', name = ''] = budget.split('/');
  const spared = Math.max(1, takes);
  const onNode = takes === 0 ? '' : `, and ${takes} of them ${takes === 1 ? 'is' : 'are'} on the node`;
  return (
    `Budget ${budget} needs ${needs} healthy of its ${count(expects, 'pod')}${onNode}. Let it spare ${count(spared, 'pod')} (kubectl -n ${namespace} ` +
    `edit pdb ${name}, maxUnavailable: ${spared})${endWithPods(spared, demand)}`
  );
}
