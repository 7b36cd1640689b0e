import { indexOf } from '../model/cluster-index.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';
import { scaleOf } from './scale.ts';
import { balancedLooks, type ServiceLook } from './serving.ts';

/**
 * The most that a Service was seen to serve since the run began. A Service that serves less now may be in trouble for a moment only;
 * what it gives at that moment says nothing of how much it can spare. Plain data, kept for the whole run.
 */
export interface ServiceBaseline {
  /** `namespace/name`. */
  readonly service: string;
  /** Serving targets; under policy Cluster without the new nodes, which come on top of what shall serve in the end. */
  readonly targets: number;
  /** Endpoints that callers reached. */
  readonly endpoints: number;
  /** Of the pods that it was scaled to, those that callers did not reach. */
  readonly missing: number;
  /** Zones with a serving target, of load balancers with cross-zone balancing off. */
  readonly zones: readonly string[];
}

/**
 * What is known of every balanced Service after one more look. Answers `known` itself when the look shows nothing better, so that a
 * caller can tell. A Service that has never been seen to serve has none: there is nothing to protect yet.
 */
export function learnBaselines(
  known: readonly ServiceBaseline[],
  facts: ServingFacts,
  policy: Policy,
): readonly ServiceBaseline[] {
  const before = new Map(known.map((baseline) => [baseline.service, baseline]));
  const after = new Map(before);
  for (const [key, look] of balancedLooks(facts)) {
    const seen = measure(look, facts, policy);
    const better = seen.targets === 0 ? undefined : improve(before.get(key), seen);
    if (better !== undefined) after.set(key, better);
  }
  const changed = after.size !== before.size || [...after].some(([key, baseline]) => before.get(key) !== baseline);
  return changed ? [...after.values()].toSorted((a, b) => compareText(a.service, b.service)) : known;
}

/**
 * Pods that a Service should have where callers reach them, given what it lacked at its best. One that nothing is seen of any more,
 * no workload and no pod, because its selector was changed or its workload deleted, should have as many as before.
 */
export function expectedEndpoints(look: ServiceLook, facts: ServingFacts, baseline: ServiceBaseline): number {
  const scale = scaleOf(look.service, facts.cluster);
  return scale === undefined ? baseline.endpoints : Math.max(0, scale - baseline.missing);
}

/** Ready endpoints of policy Local that callers reach, or would reach if nobody had taken their node out. */
export function presentEndpoints({ serving, readyOn }: ServiceLook, facts: ServingFacts): number {
  const { nodes } = indexOf(facts.cluster);
  const counts = [...readyOn].filter(([name]) => serving.has(name) || nodes.get(name)?.excluded === true);
  return counts.reduce((sum, [, ready]) => sum + ready, 0);
}

function measure(look: ServiceLook, facts: ServingFacts, policy: Policy): ServiceBaseline {
  const { service, groups, serving, readyOn } = look;
  const local = service.externalTrafficPolicy === 'Local';
  const { nodes } = indexOf(facts.cluster);
  const counted = [...serving.values()].filter(({ name }) => local || nodes.get(name)?.pool !== policy.target.poolName);
  const zones = new Set(groups.filter((group) => !group.crossZone).flatMap((group) => group.zones));
  const ready = [...readyOn.values()].reduce((sum, count) => sum + count, 0);
  const reached = local ? presentEndpoints(look, facts) : ready;
  return {
    service: service.key,
    targets: counted.length,
    endpoints: reached,
    missing: Math.max(0, (scaleOf(service, facts.cluster) ?? reached) - reached),
    zones: [...new Set(counted.map(({ zone }) => zone).filter((zone) => zones.has(zone)))].toSorted(),
  };
}

/** The better of both in each respect; undefined when what is known is as good already. */
function improve(known: ServiceBaseline | undefined, seen: ServiceBaseline): ServiceBaseline | undefined {
  if (known === undefined) return seen;
  const zones = [...new Set([...known.zones, ...seen.zones])].toSorted();
  const isBetter = seen.targets > known.targets || seen.missing < known.missing || zones.length > known.zones.length;
  if (!isBetter) return undefined;
  return {
    service: known.service,
    targets: Math.max(known.targets, seen.targets),
    endpoints: Math.max(known.endpoints, seen.endpoints),
    missing: Math.min(known.missing, seen.missing),
    zones,
  };
}
