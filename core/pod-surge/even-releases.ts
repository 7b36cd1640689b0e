import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { decideEligibility } from './eligibility.ts';
import type { PodSurgeContext } from './rules/rule.ts';
import { domainOf, domainsOf, evenBy } from './spread.ts';
import { maxReleased, workloadOf } from './surge-limit.ts';

/**
 * Selects the pods that may be released together, of workloads whose spread constraints over zones count released pods: the same number in each
 * zone, or all of them. For such a constraint a released pod still occupies its zone. The replacement of a pod that is released alone may come to
 * any zone, and the zone of the pod is empty once it has left. Returns UIDs by workload. Workloads without such a constraint have no entry.
 */
export function chooseEvenly(
  pods: readonly PodFacts[],
  context: PodSurgeContext,
  taken: ReadonlyMap<string, number>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const bound = pods.filter((pod) => !pod.terminating && evenBy(pod) !== undefined);
  const allowed = new Map<string, ReadonlySet<string>>();
  for (const [workload, own] of Map.groupBy(bound, (pod) => workloadOf(pod, context.cluster))) {
    if (workload !== undefined)
      allowed.set(workload.key, chooseOf(workload, own, context, taken.get(workload.key) ?? 0));
  }
  return allowed;
}

function chooseOf(
  workload: WorkloadFacts,
  pods: readonly PodFacts[],
  context: PodSurgeContext,
  taken: number,
): ReadonlySet<string> {
  const { cluster } = context;
  const key = pods.map(evenBy).find((one) => one !== undefined) ?? '';
  const released = pods.filter((pod) => pod.released !== undefined);
  const eligible = pods.filter((pod) => decideEligibility(pod, context).eligible);
  const room = maxReleased(workload, context) - (taken - released.length);
  const together = released.length + eligible.length;
  if (together >= workload.replicas && together <= room) return new Set(eligible.map(({ uid }) => uid));
  const zoneOf = (pod: PodFacts) => domainOf(pod, key, cluster);
  const left = Map.groupBy(eligible, zoneOf);
  const gone = Map.groupBy(released, zoneOf);
  const domains = domainsOf(workload, key, cluster);
  const there = domains.map((zone) => (left.get(zone)?.length ?? 0) + (gone.get(zone)?.length ?? 0));
  const each = Math.min(Math.floor(room / Math.max(1, domains.length)), ...there);
  const chosen = [...left].flatMap(([zone, own]) => own.slice(0, Math.max(0, each - (gone.get(zone)?.length ?? 0))));
  return new Set(chosen.map(({ uid }) => uid));
}

/** The nodes in alternating zones if pods on them have to be released evenly, or else in their order. */
export function alternateZones(waiting: readonly NodeRef[], cluster: ClusterFacts): readonly NodeRef[] {
  const index = indexOf(cluster);
  if (!waiting.some(({ name }) => index.podsOn(name).some((pod) => evenBy(pod) !== undefined))) return waiting;
  const zones = [...Map.groupBy(waiting, ({ zone }) => zone).values()];
  const rounds = Math.max(...zones.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => zones.flatMap((nodes) => nodes[round] ?? [])).flat();
}
