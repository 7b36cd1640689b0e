import { indexOf } from '../core/model/cluster-index.ts';
import type { ExternalChange } from '../core/model/external-change.ts';
import type { NodeRef } from '../core/model/node.ts';
import { isLive, type PoolRef } from '../core/model/pool.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ClusterFacts, ServingFacts } from '../core/model/serving.ts';
import { explainSuccessor, findSuccessor } from '../core/model/successor.ts';
import { newNodes } from '../core/policy/members.ts';
import { type Policy, poolRefOf } from '../core/policy/policy.ts';
import type { Evidence } from '../core/status/status.ts';
import type { EvidenceKind, NodeEvent } from '../core/steps/steps.ts';
import { isCordonChanging } from '../core/waits/cordon-change.ts';
import type { Events } from '../ports/cluster/events.ts';
import type { NodeActions } from '../ports/cluster/node-actions.ts';
import type { ProviderPools } from '../ports/provider.ts';
import { oneQueueOneCluster } from './fence.ts';

/**
 * A node that is missing from the cluster while its instance runs is not gone: either this worker observes another cluster, or somebody
 * deleted the Node object. In both cases nothing that is observed here is about that instance.
 * @throws NodeferryError NotOwned
 */
export async function requireInstanceGone(pools: ProviderPools, node: NodeRef, policy: Policy): Promise<void> {
  const pool = poolRefOf(policy);
  // Nothing but the Node object tells that an instance exists.
  if (!pools.traitsOf(pool).hasPools) return;
  const state = await pools.observeInstance(pool, node.instanceId);
  if (!isLive({ state })) return;
  throw new NodeferryError({
    code: 'NotOwned',
    message: `${node.instanceId} is ${state}, but ${node.name} is not a node of this worker's cluster`,
    hint: `${oneQueueOneCluster}; or the Node was deleted by hand.`,
  });
}

/**
 * Instances of a pool that have no node, although they were nodes when the run saw them: see `requireInstanceGone`.
 * @throws NodeferryError NotOwned while one of them is neither ending nor gone
 */
export async function requireNodesGone(
  pools: ProviderPools,
  pool: PoolRef,
  instanceIds: readonly string[],
): Promise<void> {
  for (const instanceId of instanceIds) {
    const state = await pools.observeInstance(pool, instanceId);
    if (!isLive({ state })) continue;
    throw new NodeferryError({
      code: 'NotOwned',
      message: `${instanceId} of ${pool.name} is ${state}, but the node that it was is not in this worker's cluster`,
      hint: `${oneQueueOneCluster}; then resume. If the Node was deleted by hand: terminate the instance, or let it join again; then resume.`,
    });
  }
}

/** The evidence with which a step ends whose node is gone while another one has its name: nothing of that one is its to wait for or to move. */
export function seeSuccessor(
  node: NodeRef,
  cluster: ClusterFacts,
  kind: EvidenceKind,
  at: number,
): readonly Evidence[] | undefined {
  return findSuccessor(node, cluster) === undefined ? undefined : [{ kind, at, detail: explainSuccessor(node) }];
}

/**
 * Cordons again what somebody has uncordoned. A pod that is scheduled to a node which will be replaced has to move twice. One that is
 * scheduled to a node which is being emptied keeps it from becoming empty. Returns what to report about it: nothing where an attempt of the run's own
 * has ended between removing its cordon and setting it again (see `isCordonChanging`).
 */
export async function ensureCordoned(
  cluster: NodeActions,
  nodes: readonly NodeRef[],
  run: string,
  facts: Pick<ServingFacts, 'cluster' | 'observedAt'> & Partial<Pick<ServingFacts, 'targetGroups'>>,
): Promise<readonly ExternalChange[]> {
  const index = indexOf(facts.cluster);
  const open = nodes.flatMap((node) => {
    const seen = index.nodes.get(node.name);
    return seen?.uid === node.uid && !seen.cordoned ? [seen] : [];
  });
  for (const node of open) await cluster.cordon(node, run);
  return open
    .filter((node) => !isCordonChanging(node, facts.targetGroups))
    .map(({ name }) => ({ at: facts.observedAt, what: `somebody uncordoned ${name}; cordoned again` }));
}

/**
 * Removes the run's cordon and sets it again at once, for controllers that read other things only when a cordon changes. Says whether it did: a cordon
 * of somebody else stays. A pod that is scheduled to the node in between moves with the others. An attempt that ends in between leaves the node without
 * cordon and without the run's annotation: nothing to remove, and the next poll sets it again.
 */
export async function changeCordon(cluster: NodeActions, node: NodeRef, run: string): Promise<boolean> {
  if ((await cluster.uncordon(node, run)) !== 'done') return false;
  await cluster.cordon(node, run);
  return true;
}

/** New nodes that somebody excluded from load balancers. The run waits for them to serve, so this is reported. */
export function findExcludedNewNodes(facts: ServingFacts, policy: Policy): readonly ExternalChange[] {
  return newNodes(facts.cluster, policy)
    .filter(({ excluded, ownership }) => excluded && ownership.excludedBy === undefined)
    .map(({ name }) => ({
      at: facts.observedAt,
      what: `somebody excluded new node ${name} from load balancers: it counts as serving nothing`,
    }));
}

/** Events are for readers of `kubectl describe node`: a lost one must not stop a step. */
export async function publishNodeEvent(
  cluster: Events,
  node: NodeRef,
  reason: NodeEvent,
  message: string,
): Promise<void> {
  try {
    await cluster.recordEvent({ node, reason, message, type: 'Normal' });
  } catch {
    // The step itself runs into the same problem, and reports it.
  }
}
