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
export function isInPlace({ pool, target, selection }: Pick<MemberPolicy, 'pool' | 'target' | 'selection'>): boolean {
  return selection === undefined && pool.name === target.poolName;
}

/** Whether the target pool exists before the run, and stays however the run ends. */
export function keepsTarget(policy: MemberPolicy): boolean {
  return policy.adoptTarget === true || isInPlace(policy);
}

/** Those instances of the new pool that are not of old nodes. In a pool that is replaced in place there are both. */
export function newInstances<I extends { readonly instanceId: string }>(
  instances: readonly I[],
  policy: MemberPolicy,
): readonly I[] {
  return isInPlace(policy) ? instances.filter(({ instanceId }) => !wasFound(policy, { instanceId })) : instances;
}

/** Those instances of the old pool that are not of new nodes. */
export function oldInstances<I extends { readonly instanceId: string }>(
  instances: readonly I[],
  policy: MemberPolicy,
): readonly I[] {
  return isInPlace(policy) ? instances.filter(({ instanceId }) => wasFound(policy, { instanceId })) : instances;
}

/** The policy with the nodes that its target pool has now, if that pool exists before the run. */
export function withFound<P extends MemberPolicy>(policy: P, cluster: Pick<ClusterFacts, 'nodes'>): P {
  if (!keepsTarget(policy)) return policy;
  const { pool, target } = policy;
  const before = membersOf(cluster, { pool, target });
  const inTarget = isInPlace(policy) ? before.old : before.new;
  const found = cluster.nodes
    .filter(({ uid }) => inTarget.has(uid))
    .map(({ uid, instanceId }): FoundNode => ({ uid, instanceId }));
  return { ...policy, found };
}

/** The new nodes that came during the run. The others were there before, and stay however it ends. */
export function addedNodes(cluster: Pick<ClusterFacts, 'nodes'>, policy: MemberPolicy): readonly NodeFacts[] {
  return newNodes(cluster, policy).filter((node) => !wasFound(policy, node));
}

/**
 * Which nodes have which part in a run with this policy. Decisions ask for the part of a node, and never compare the names of pools: a run may
 * drain some nodes of a pool, whose others stay.
 */
export function membersOf(cluster: Pick<ClusterFacts, 'nodes'>, policy: MemberPolicy): Members {
  const { named, listed } = knownMembers(cluster.nodes);
  // In a pool that is replaced in place, names alone tell nothing.
  const list = policy.selection ?? (isInPlace(policy) ? policy.found : undefined);
  const name = `${policy.pool.name} ${policy.target.poolName}`;
  const known = list === undefined ? named.get(name) : listed.get(list);
  if (known !== undefined) return known;
  const members = findMembers(cluster.nodes, policy);
  if (list === undefined) named.set(name, members);
  else listed.set(list, members);
  return members;
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

/** What was found for one observation: by the names of both pools, and by the nodes that are drained or were there before. Asked for each node of each decision. */
const knownMembers = onceFor((_nodes: readonly NodeFacts[]) => ({
  named: new Map<string, Members>(),
  listed: new WeakMap<NodeSelection | readonly FoundNode[], Members>(),
}));

/** Whether a node, or the instance of one, was in the target pool before the run. An instance that is a node anew has another UID. */
function wasFound({ found = [] }: MemberPolicy, node: Partial<FoundNode>): boolean {
  const { uids, instanceIds } = foundSets(found);
  return uids.has(node.uid ?? '') || instanceIds.has(node.instanceId ?? '');
}

const foundSets = onceFor((found: readonly FoundNode[]) => ({
  uids: new Set(found.map(({ uid }) => uid)),
  instanceIds: new Set(found.flatMap(({ instanceId }) => (instanceId === '' ? [] : [instanceId]))),
}));

function findMembers(nodes: readonly NodeFacts[], policy: MemberPolicy): Members {
  const { pool, target, selection, found } = policy;
  const selected = selection === undefined ? undefined : new Set(selection.nodes.map(({ uid }) => uid));
  const isOfPool = (node: NodeFacts) => node.pool === pool.name;
  // Before preflight has found them, all nodes of a pool are old ones.
  const isOldHere = isInPlace(policy) && found !== undefined ? (node: NodeFacts) => wasFound(policy, node) : isOfPool;
  const isOld = (node: NodeFacts) => selected?.has(node.uid) ?? isOldHere(node);
  return {
    old: uidsOf(nodes.filter(isOld)),
    new: uidsOf(nodes.filter((node) => !isOld(node) && node.pool === target.poolName)),
    staying: selected === undefined ? new Set() : uidsOf(nodes.filter((node) => !isOld(node) && isOfPool(node))),
  };
}

function uidsOf(nodes: readonly NodeFacts[]): NodeUids {
  return new Set(nodes.map(({ uid }) => uid));
}
