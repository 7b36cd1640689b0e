import { indexOf } from '../model/cluster-index.ts';
import { servesIn } from '../model/pod-targets.ts';
import { readyEndpoints } from '../model/ready-endpoints.ts';
import type { ServingFacts } from '../model/serving.ts';
import { membersOf } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';
import { isGoneForGood, trackGone } from './gone.ts';
import { scaleOf } from './scale.ts';
import { type ServiceState, serviceStates, targetGroupsOf } from './serving.ts';
import { learnGroups } from './silent-groups.ts';
import { findUnreached, isUnreached, type PodsByPlace, stillUnreached } from './unreached.ts';

/**
 * The most that a Service was observed to serve since the run began. A Service that serves less now may have a temporary problem, and what it
 * serves meanwhile does not say how much it can spare. Plain data, kept for the whole run.
 */
export interface ServiceBaseline {
  /** `namespace/name`. */
  readonly service: string;
  /** Serving targets: nodes, or pods where these are targets. Under policy Cluster the new nodes of runs are not counted, because they come on top of what has to serve in the end. */
  readonly targets: number;
  /** Endpoints that callers reached. */
  readonly endpoints: number;
  /** Of the pods that its workloads are scaled to, those that callers did not reach. */
  readonly missing: number;
  /** Zones with a serving target, of load balancers with cross-zone balancing off. */
  readonly zones: readonly string[];
  /** IDs of its target groups that have had a healthy target; see noteSilent. Absent where all of them count for good, see learnGroups. */
  readonly groups?: readonly string[];
  /** Its pods where load balancers have sent nothing since; see findUnreached. Absent when there are none. */
  readonly unreached?: PodsByPlace;
  /** Since when (epoch ms) neither a workload nor a pod matches it; see trackGone. Absent while one does. */
  readonly goneSince?: number;
}

/**
 * What is known of every load-balanced Service after one more observation. Returns `known` itself when the observation shows nothing better, so
 * that a caller can compare. A Service that was never observed to serve has no baseline: there is nothing to protect yet. A Service loses its
 * baseline when its workloads and pods have been gone in every observation for a while: whoever deleted them has taken away all that the run
 * could protect.
 */
export function learnBaselines(
  known: readonly ServiceBaseline[],
  facts: ServingFacts,
  policy: Policy,
): readonly ServiceBaseline[] {
  const before = new Map(known.map((baseline) => [baseline.service, baseline]));
  const after = new Map(before);
  for (const [key, state] of serviceStates(facts)) {
    const learnt = learn(before.get(key), state, facts, policy);
    if (learnt === undefined) after.delete(key);
    else after.set(key, learnt);
  }
  const changed = after.size !== before.size || [...after].some(([key, baseline]) => before.get(key) !== baseline);
  return changed ? [...after.values()].toSorted((a, b) => compareText(a.service, b.service)) : known;
}

/**
 * Pods that a Service should have where callers reach them, less those that its baseline lacked. A Service without any workload or pod, because
 * its selector was changed or its workload deleted, should have as many as before.
 */
export function expectedEndpoints(state: ServiceState, facts: ServingFacts, baseline: ServiceBaseline): number {
  const scale = scaleOf(state.service, facts.cluster);
  return scale === undefined ? baseline.endpoints : Math.max(0, scale - baseline.missing);
}

/** Ready endpoints of policy Local that callers reach, or would reach if their node were not excluded; pods that are serving targets. */
export function reachableEndpoints(state: ServiceState, facts: ServingFacts, known?: ServiceBaseline): number {
  if (state.reach === 'pod') return [...state.serving.values()].reduce((sum, { targets }) => sum + targets, 0);
  const reached = reachedNodes(state, facts, known);
  return [...state.readyOn].reduce((sum, [name, ready]) => sum + (reached.has(name) ? ready : 0), 0);
}

function learn(
  known: ServiceBaseline | undefined,
  state: ServiceState,
  facts: ServingFacts,
  policy: Policy,
): ServiceBaseline | undefined {
  const goneSince = trackGone(known?.goneSince, state.service, facts, policy);
  if (isGoneForGood(goneSince, facts, policy)) return undefined;
  if (goneSince !== undefined) return known && noteGone(known, goneSince);
  const before = known && noteWanted(known);
  const seen = measure(state, facts, policy, before);
  if (seen.targets === 0) return before && noteGroups(before, seen);
  return before === undefined ? seen : improve(before, seen, stillUnreached(before.unreached, state, facts));
}

function noteGone(known: ServiceBaseline, goneSince: number): ServiceBaseline {
  return known.goneSince === goneSince ? known : { ...known, goneSince };
}

/** A group that has been healthy counts, also where it was so while nothing was healthy in all groups. */
function noteGroups(known: ServiceBaseline, { groups }: ServiceBaseline): ServiceBaseline {
  return groups === undefined || groups.length === known.groups?.length ? known : { ...known, groups };
}

function noteWanted(known: ServiceBaseline): ServiceBaseline {
  const { goneSince, ...rest } = known;
  return goneSince === undefined ? known : rest;
}

/** Nodes with ready pods of policy Local that callers reach, or would reach if the nodes were not excluded. */
function reachedNodes(
  { serving, readyOn }: ServiceState,
  facts: ServingFacts,
  known: ServiceBaseline | undefined,
): ReadonlySet<string> {
  const { nodes } = indexOf(facts.cluster);
  const isOut = (name: string) => nodes.get(name)?.excluded === true && !isUnreached(name, facts, known?.unreached);
  return new Set([...readyOn.keys()].filter((name) => serving.has(name) || isOut(name)));
}

function measure(
  state: ServiceState,
  facts: ServingFacts,
  policy: Policy,
  known: ServiceBaseline | undefined,
): ServiceBaseline {
  const { service, groups, reach, serving, readyOn } = state;
  const local = reach !== 'node';
  const { nodes } = indexOf(facts.cluster);
  const members = membersOf(facts.cluster, policy);
  const isIncoming = (name: string) => {
    const { uid = '', pool = '' } = nodes.get(name) ?? {};
    return members.new.has(uid) || facts.incomingPools?.includes(pool) === true;
  };
  const counted = [...serving.values()].filter(({ name }) => local || !isIncoming(name));
  const zones = new Set(groups.filter((group) => !group.crossZone).flatMap((group) => group.zones));
  const served = countOnce(state, facts, new Set(serving.keys()));
  const endpoints =
    reach === 'pod'
      ? served.pods
      : countOnce(state, facts, local ? reachedNodes(state, facts, known) : new Set(readyOn.keys())).pods;
  const unreached = local && known === undefined ? findUnreached(state, facts) : {};
  const healthyGroups = learnGroups(known, targetGroupsOf(service.key, facts));
  return {
    service: service.key,
    targets: { node: counted.length, host: served.nodes, pod: served.pods }[reach],
    endpoints,
    missing: Math.max(0, (scaleOf(service, facts.cluster) ?? endpoints) - endpoints),
    zones: [...new Set(counted.map(({ zone }) => zone).filter((zone) => zones.has(zone)))].toSorted(),
    ...(healthyGroups === undefined ? {} : { groups: healthyGroups }),
    ...(Object.keys(unreached).length === 0 ? {} : { unreached }),
  };
}

/**
 * Ready pods on these nodes, and how many of the nodes have some. Released pods and their replacements are counted separately and the larger
 * number is returned, because the Service never had both before the run.
 */
function countOnce(
  { service, reach, groups }: ServiceState,
  { cluster }: ServingFacts,
  names: ReadonlySet<string>,
): { readonly pods: number; readonly nodes: number } {
  const { podsByUid } = indexOf(cluster);
  const nodesOf = { owned: [] as string[], released: [] as string[] };
  for (const { node, podUid } of readyEndpoints(service, cluster)) {
    if (node === undefined || !names.has(node)) continue;
    const pod = podsByUid.get(podUid ?? '');
    if (reach === 'pod' && !groups.every((group) => pod !== undefined && servesIn(pod, group))) continue;
    nodesOf[pod?.released === undefined ? 'owned' : 'released'].push(node);
  }
  const most = (count: (nodes: readonly string[]) => number) => Math.max(count(nodesOf.owned), count(nodesOf.released));
  return { pods: most((nodes) => nodes.length), nodes: most((nodes) => new Set(nodes).size) };
}

/**
 * The better of both in each respect; `known` itself when that is as good already. Pods that have moved to where callers reach them, while others
 * are still where no caller ever reached them, do not raise the baseline: they may move back.
 */
function improve(known: ServiceBaseline, seen: ServiceBaseline, unreached: PodsByPlace | undefined): ServiceBaseline {
  const placesOf = (pods: PodsByPlace = {}) => Object.keys(pods).length;
  const gift = unreached === undefined ? 0 : Math.max(0, seen.endpoints - known.endpoints);
  const missing = seen.missing + gift;
  const zones = [...new Set([...known.zones, ...seen.zones])].toSorted();
  const isBetter =
    seen.targets > known.targets ||
    missing < known.missing ||
    zones.length > known.zones.length ||
    (seen.groups?.length ?? 0) > (known.groups?.length ?? 0) ||
    placesOf(unreached) < placesOf(known.unreached);
  if (!isBetter) return known;
  return {
    service: known.service,
    targets: Math.max(known.targets, seen.targets),
    endpoints: Math.max(known.endpoints, seen.endpoints - gift),
    missing: Math.min(known.missing, missing),
    zones,
    ...(seen.groups === undefined ? {} : { groups: seen.groups }),
    ...(unreached === undefined ? {} : { unreached }),
  };
}
