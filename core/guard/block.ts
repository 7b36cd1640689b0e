import { count } from '../text/format.ts';

/** What keeps a node from stepping out. */
export interface GuardBlock {
  /** Name of the node that would be next. */
  readonly node: string;
  /**
   * `targets`, `zone`: the Service's floor; `endpoints`: a budget; `best`: the Service lacks something of its best, and this node may
   * bring it back; `rollout`: a workload exchanges its pods; `stuck-target`: its controller would not deregister it now; `unnoticed`:
   * the load balancer has yet to notice that it serves no more; `in-flight`: enough nodes are on their way out;
   * `do-not-disrupt`: its owner asks to leave it alone.
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
    | 'unnoticed';
  /** `namespace/name`. */
  readonly service?: string;
  /** `namespace/name` of the PodDisruptionBudget. */
  readonly budget?: string;
  readonly zone?: string;
  /** The least that must stay (or, for `in-flight`, the most that may be out). */
  readonly needs: number;
  /** What serves now, before the step-out (or, for `in-flight`, how many are out). */
  readonly has: number;
  /** The node gives nothing now, but may again. */
  readonly idle?: boolean;
  /** Where the floor comes from, what is lacking, or the workload or target group that is meant. */
  readonly source?: string;
  readonly what?: string;
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
      return `${node} waits: its target in ${block.what ?? ''} is unhealthy.draining, and its controller would not take it out`;
    case 'unnoticed':
      return `${node} waits: it has no ready endpoint of ${service}, and its target in ${block.what ?? ''} is healthy still`;
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

/** What would let the node go; undefined where there is nothing better to say than to mend what does not serve. */
export function explainWayOut({ limit, service = '', zone = '' }: GuardBlock): string | undefined {
  if (limit !== 'zone') return undefined;
  return (
    `Have one more pod of ${service} run in ${zone}, on a node that stays; or turn cross-zone load balancing on for its load balancer. ` +
    'Then resume.'
  );
}
