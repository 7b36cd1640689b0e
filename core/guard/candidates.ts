import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import { takenAwayBy } from '../model/taken-away.ts';
import type { GuardBlock } from './block.ts';

/** A zone in which load balancers have pods as targets, only as long as it has a candidate node. */
interface CandidateZone {
  /** Name of one of the groups of pods. */
  readonly group: string;
  /** `namespace/name` of its Service. */
  readonly service: string;
  /** Names of the candidate nodes that are not out. */
  readonly candidates: ReadonlySet<string>;
}

/** By zone, those that need a candidate. */
export type CandidateZones = ReadonlyMap<string, CandidateZone>;

/**
 * Finds the zones whose last candidate node must stay. A controller may take every pod of a zone out of its load balancers, of whatever pool, once
 * the zone has no node that is Ready, without the exclude label (whatever its value) and not about to be deleted. A cordon makes no difference.
 */
export function findCandidateZones({ cluster }: ServingFacts, inFlight: readonly NodeRef[]): CandidateZones {
  const needing = zonesWithPods(cluster);
  if (needing.size === 0) return needing;
  const out = new Set(inFlight.map(({ name }) => name));
  const byZone = Map.groupBy(
    cluster.nodes.filter((node) => isCandidate(node) && !out.has(node.name)),
    ({ zone }) => zone,
  );
  return new Map(
    [...needing].map(([zone, group]) => {
      const names = (byZone.get(zone) ?? []).map(({ name }) => name);
      return [zone, { ...group, candidates: new Set(names) }];
    }),
  );
}

/** The block of the last candidate of its zone. */
export function findCandidateBlock({ name, zone }: NodeRef, zones: CandidateZones): GuardBlock | undefined {
  const found = zones.get(zone);
  if (found === undefined || !found.candidates.has(name) || found.candidates.size > 1) return undefined;
  const { service, group } = found;
  return { node: name, limit: 'candidate', service, zone, needs: 1, has: 1, what: group };
}

/** The zones as they would be with nodes that join and without those that leave. */
export function assumeCandidates(
  zones: CandidateZones,
  { joined, excluded }: { readonly joined: readonly NodeRef[]; readonly excluded: readonly NodeRef[] },
): CandidateZones {
  if (zones.size === 0 || joined.length + excluded.length === 0) return zones;
  const gone = new Set(excluded.map(({ name }) => name));
  return new Map(
    [...zones].map(([zone, found]) => {
      const added = joined.flatMap((node) => (node.zone === zone ? [`${node.name} (new)`] : []));
      const left = [...found.candidates].filter((name) => !gone.has(name));
      return [zone, { ...found, candidates: new Set([...left, ...added]) }];
    }),
  );
}

/** Why a node that is excluded should be restored: the candidates of its zone have failed since, and it is one as soon as it is included. */
export function findLostCandidate(node: NodeRef, facts: ServingFacts): string | undefined {
  const seen = indexOf(facts.cluster).nodes.get(node.name);
  if (seen?.ready !== true) return undefined;
  const zone = findCandidateZones(facts, [node]).get(seen.zone);
  if (zone === undefined || zone.candidates.size > 0) return undefined;
  return `no candidate node is left in ${seen.zone}, where ${zone.group} has pods of ${zone.service}`;
}

function isCandidate(node: NodeFacts): boolean {
  return node.ready && !node.excluded && node.deniesExclusion !== true && takenAwayBy(node) === undefined;
}

/** A zone without endpoints loses nothing. */
const zonesWithPods = onceFor((cluster: ClusterFacts): CandidateZones => {
  const { nodes } = indexOf(cluster);
  const found = new Map<string, CandidateZone>();
  for (const { key, podGroups, endpoints } of cluster.services) {
    if (podGroups?.zonesNeedCandidate !== true) continue;
    const { zones, names } = podGroups;
    for (const { node = '', terminating } of endpoints) {
      const zone = nodes.get(node)?.zone;
      if (terminating || zone === undefined || found.has(zone) || !zones.includes(zone)) continue;
      found.set(zone, { group: names[0] ?? key, service: key, candidates: new Set() });
    }
  }
  return found;
});
