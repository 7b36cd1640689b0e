import { indexOf } from '../model/cluster-index.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { scaleOf } from './scale.ts';
import { explainUnstable } from './stability.ts';

/**
 * Since when (epoch ms) every observation has found that neither a workload nor a pod matches the Service. Undefined when one does. An
 * observation that cannot be trusted shows nothing as gone.
 */
export function trackGone(
  known: number | undefined,
  service: ServiceFacts,
  facts: ServingFacts,
  policy: Policy,
): number | undefined {
  const isGone = scaleOf(service, facts.cluster) === undefined && explainUnstable(facts, policy) === undefined;
  return isGone ? (known ?? facts.observedAt) : undefined;
}

/** Observations have agreed for so long that the workloads must have been deleted on purpose: the run does not wait for what the Service had. */
export function isGoneForGood(since: number | undefined, facts: ServingFacts, { waits }: Policy): boolean {
  return since !== undefined && facts.observedAt - since >= waits.stabilizationAfterOutageMs;
}

/** Since when these Services have had neither a workload nor a pod, by key. Services that have one are left out. Plain data. */
type GoneSince = Readonly<Record<string, number>>;

/** The same for several Services. */
export function trackAllGone(
  known: GoneSince,
  keys: readonly string[],
  facts: ServingFacts,
  policy: Policy,
): GoneSince {
  const tracked = keys.flatMap((key) => {
    const service = indexOf(facts.cluster).service(key);
    const since = service === undefined ? undefined : trackGone(known[key], service, facts, policy);
    return since === undefined ? [] : [[key, since] as const];
  });
  return Object.fromEntries(tracked);
}
