import { indexOf } from '../core/model/cluster-index.ts';
import type { ExternalChange } from '../core/model/external-change.ts';
import type { NodeRef } from '../core/model/node.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ClusterFacts, ServingFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { NodeEvent } from '../core/steps/steps.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { NodePools } from '../ports/node-pools.ts';

/**
 * A node that is not in the cluster while its machine runs is not gone: this worker looks at another cluster, or somebody deleted
 * the Node object. Either way nothing that is observed here would speak for it.
 * @throws NodeferryError NotOwned
 */
export async function requireInstanceGone(pools: NodePools, node: NodeRef, policy: Policy): Promise<void> {
  const pool = { cluster: policy.cluster.name, region: policy.cluster.region, name: policy.pool.name };
  const state = await pools.observeInstance(pool, node.instanceId);
  if (state !== 'running' && state !== 'pending') return;
  throw new NodeferryError({
    code: 'NotOwned',
    message: `${node.instanceId} is ${state}, but ${node.name} is not a node of the cluster that this worker serves`,
    hint: 'One task queue serves one cluster: check KUBECONFIG and NODEFERRY_TASK_QUEUE of the workers; or the Node was deleted by hand.',
  });
}

/**
 * Cordons again what somebody has opened: a pod that lands on a node which is to go would have to move twice, and one that lands on a
 * node which is being emptied keeps it from ever being empty. Answers what to tell of it.
 */
export async function ensureCordoned(
  cluster: Cluster,
  nodes: readonly NodeRef[],
  run: string,
  facts: { readonly cluster: ClusterFacts; readonly observedAt: number },
): Promise<readonly ExternalChange[]> {
  const index = indexOf(facts.cluster);
  const open = nodes.filter((node) => {
    const seen = index.nodes.get(node.name);
    return seen?.uid === node.uid && !seen.cordoned;
  });
  for (const node of open) await cluster.cordon(node, run);
  return open.map((node) => ({ at: facts.observedAt, what: `somebody uncordoned ${node.name}; cordoned again` }));
}

/** New nodes that somebody took out of load balancers: the run waits for what they would serve, so it is told. */
export function findExcludedNewNodes(facts: ServingFacts, policy: Policy): readonly ExternalChange[] {
  return facts.cluster.nodes
    .filter(
      ({ pool, excluded, ownership }) =>
        pool === policy.target.poolName && excluded && ownership.excludedBy === undefined,
    )
    .map(({ name }) => ({
      at: facts.observedAt,
      what: `somebody excluded new node ${name} from load balancers: it counts as serving nothing`,
    }));
}

/** Events are for the reader of `kubectl describe node`: losing one must not stop a step. */
export async function publishNodeEvent(
  cluster: Cluster,
  node: NodeRef,
  reason: NodeEvent,
  message: string,
): Promise<void> {
  try {
    await cluster.recordEvent({ node, reason, message, type: 'Normal' });
  } catch {
    // The step itself will meet the same trouble, and says so.
  }
}
