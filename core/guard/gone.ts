import { indexOf } from '../model/cluster-index.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { scaleOf } from './scale.ts';
import { findDistrust } from './stability.ts';

/**
 * Since when (epoch ms) every look has found that nobody wants a pod of the Service, since neither a workload nor a pod fits it; undefined
 * where somebody does. A look that is not to be trusted shows nobody gone.
 */
export function trackGone(
  known: number | undefined,
  service: ServiceFacts,
  facts: ServingFacts,
  policy: Policy,
): number | undefined {
  const isGone = scaleOf(service, facts.cluster) === undefined && findDistrust(facts, policy) === undefined;
  return isGone ? (known ?? facts.observedAt) : undefined;
}

/** Looks have agreed on it for so long that whoever deleted its workloads meant it: what it had is no loss of ours. */
export function isGoneForGood(since: number | undefined, facts: ServingFacts, { waits }: Policy): boolean {
  return since !== undefined && facts.observedAt - since >= waits.stabilizationAfterOutageMs;
}

/** Since when nobody wants a pod of these Services, by key; those that somebody wants are left out. Plain data. */
export type GoneSince = Readonly<Record<string, number>>;

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
