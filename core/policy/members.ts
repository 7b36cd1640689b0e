import { onceFor } from '../model/cluster-index.ts';
import type { NodeFacts } from '../model/node.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { FoundNode, NodeSelection, Policy } from './policy.ts';

/** UIDs of nodes. */
export type NodeUids = ReadonlySet<string>;

/** The nodes that have a part in a run. All others are of other pools, or of none. */
export interface Members {
  /** Those that are replaced or drained. */
  readonly old: NodeUids;
  /** Those that take their place. */
  readonly new: NodeUids;
  /** Those of the old pool that stay, because others of it were selected. */
  readonly staying: NodeUids;
}

/** Which way a run goes: to the new nodes, or back to the old ones. */
export type Direction = 'forward' | 'back';

/** The part of a policy that says which nodes take part. */
export type MemberPolicy = Pick<Policy, 'pool' | 'target' | 'selection' | 'adoptTarget' | 'found'>;

/** Whether a pool is replaced under its own name: old nodes and new ones are of one pool. */
export function isInPlace({ pool, target }: Pick<Policy, 'pool' | 'target'>): boolean {
  return pool.name === target.poolName;
}

/** Whether the target pool exists before the run, and stays however the run ends. */
export function keepsTarget({ adoptTarget }: Pick<Policy, 'adoptTarget'>): boolean {
  return adoptTarget === true;
}

/** The policy with the nodes that its target pool has now, if that pool exists before the run. */
export function withFound<P extends MemberPolicy>(policy: P, cluster: Pick<ClusterFacts, 'nodes'>): P {
  if (!keepsTarget(policy)) return policy;
  const { pool, target } = policy;
  const found = newNodes(cluster, { pool, target }).map(({ uid, instanceId }): FoundNode => ({ uid, instanceId }));
  return { ...policy, found };
}

/** The new nodes that came during the run. The others were there before, and stay however it ends. */
export function addedNodes(cluster: Pick<ClusterFacts, 'nodes'>, policy: MemberPolicy): readonly NodeFacts[] {
  const found = new Set(policy.found?.map(({ uid }) => uid));
  return newNodes(cluster, policy).filter(({ uid }) => !found.has(uid));
}

/**
 * Which nodes have which part in a run with this policy. Decisions ask for the part of a node, and never compare the names of pools: a run may
 * drain some nodes of a pool, whose others stay.
 */
export function membersOf(cluster: Pick<ClusterFacts, 'nodes'>, policy: MemberPolicy): Members {
  const { named, selected } = knownMembers(cluster.nodes);
  const { selection } = policy;
  const name = `${policy.pool.name} ${policy.target.poolName}`;
  const known = selection === undefined ? named.get(name) : selected.get(selection);
  if (known !== undefined) return known;
  const found = findMembers(cluster.nodes, policy);
  if (selection === undefined) named.set(name, found);
  else selected.set(selection, found);
  return found;
}

/** The nodes that leave while the run goes that way. */
export function leavingOf(cluster: Pick<ClusterFacts, 'nodes'>, policy: MemberPolicy, direction: Direction): NodeUids {
  const members = membersOf(cluster, policy);
  return direction === 'forward' ? members.old : members.new;
}

/** The nodes that a run with this policy replaces or drains. */
export function oldNodes({ nodes }: Pick<ClusterFacts, 'nodes'>, policy: MemberPolicy): readonly NodeFacts[] {
  const { old } = membersOf({ nodes }, policy);
  return nodes.filter(({ uid }) => old.has(uid));
}

/** The nodes that take their place. */
export function newNodes({ nodes }: Pick<ClusterFacts, 'nodes'>, policy: MemberPolicy): readonly NodeFacts[] {
  const members = membersOf({ nodes }, policy);
  return nodes.filter(({ uid }) => members.new.has(uid));
}

/** The nodes that have the same part as this one. Undefined for a node that has none. */
export function findPeers(uid: string | undefined, members: Members): NodeUids | undefined {
  if (uid === undefined) return undefined;
  return [members.old, members.new, members.staying].find((uids) => uids.has(uid));
}

/** What was found for one observation: by the names of both pools, and by the nodes that are drained. Asked for each node of each decision. */
const knownMembers = onceFor((_nodes: readonly NodeFacts[]) => ({
  named: new Map<string, Members>(),
  selected: new WeakMap<NodeSelection, Members>(),
}));

function findMembers(nodes: readonly NodeFacts[], { pool, target, selection }: MemberPolicy): Members {
  const selected = selection === undefined ? undefined : new Set(selection.nodes.map(({ uid }) => uid));
  const isOld = (node: NodeFacts) => selected?.has(node.uid) ?? node.pool === pool.name;
  return {
    old: uidsOf(nodes.filter(isOld)),
    new: uidsOf(nodes.filter((node) => !isOld(node) && node.pool === target.poolName)),
    staying: uidsOf(nodes.filter((node) => !isOld(node) && node.pool === pool.name)),
  };
}

function uidsOf(nodes: readonly NodeFacts[]): NodeUids {
  return new Set(nodes.map(({ uid }) => uid));
}
