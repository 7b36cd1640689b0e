import type { ServiceBaseline } from '../guard/baseline.ts';
import { type CountedService, countService } from '../guard/counts.ts';
import { outOf } from '../guard/guard.ts';
import { serviceStates } from '../guard/serving.ts';
import { indexOf } from '../model/cluster-index.ts';
import { podsOf } from '../model/endpoints.ts';
import type { NodeRef } from '../model/node.ts';
import type { ReleasedFacts } from '../model/pod.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';

/** The nodes that have to leave together, and what is known about the Services that they serve. */
export interface ShortZonesQuestion {
  readonly facts: ServingFacts;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  readonly run: string;
  readonly batch: readonly NodeRef[];
}

/** A zone that must keep a serving target of a Service and has none without the batch, and in which the run has released a pod of the workload. */
export interface ShortZone {
  readonly workload: string;
  readonly namespace: string;
  readonly released: ReleasedFacts;
  readonly service: CountedService;
  readonly zone: string;
  /** Names of the nodes that do not count: those of the batch, and those that are already excluded. */
  readonly out: ReadonlySet<string>;
}

/** Finds, for each workload, the zones because of which the guard would block a node of the batch. With policy Cluster nothing depends on pods, unless these are targets. */
export function findShortZones(question: ShortZonesQuestion): readonly ShortZone[] {
  const { facts, policy, run, batch } = question;
  const baselines = new Map(question.baselines.map((baseline) => [baseline.service, baseline]));
  const names = new Set(batch.map(({ name }) => name));
  const out = new Set([...outOf({ facts, policy, inFlight: batch, waiting: batch }), ...names]);
  const { nodes } = indexOf(facts.cluster);
  return [...serviceStates(facts).values()].flatMap((state) => {
    if (state.reach === 'node') return [];
    const service = countService(state, facts, policy, baselines.get(state.service.key), out);
    const short = Object.entries(service.minServing.perZone).filter(
      ([zone, needs]) => (service.perZone.get(zone) ?? 0) < needs,
    );
    return short.flatMap(([zone]) => {
      const pods = podsOf(state.service, facts.cluster).filter(
        ({ released, terminating, node = '' }) =>
          released?.by === run && !terminating && names.has(node) && nodes.get(node)?.zone === zone,
      );
      const byWorkload = Map.groupBy(pods, ({ released }) => released?.workload ?? '');
      return [...byWorkload].flatMap(([workload, [pod]]) =>
        pod?.released === undefined
          ? []
          : [{ workload, namespace: pod.namespace, released: pod.released, service, zone, out }],
      );
    });
  });
}
