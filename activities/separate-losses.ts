import { NodeferryError } from '../core/model/problem.ts';
import type { Policy } from '../core/policy/policy.ts';
import { addCounts } from '../core/status/count-traffic.ts';
import { addLosses } from '../core/status/losses.ts';
import { addObservation, canBeOurs, findOut, type Outlook, reachMs } from '../core/status/outlook.ts';
import type { TrafficCounts } from '../core/status/traffic-counts.ts';
import type { Observer } from '../operations/observer.ts';
import type { Clock } from '../ports/clock.ts';
import type { TrafficWatch } from '../ports/traffic.ts';

/** Time between two observations of what is out, while nothing is lost, ms. */
const pollIntervalMs = 10_000;

/** Maximum duration of an observation, ms: the lock has to be renewed meanwhile, whatever the API server does. */
const observationPatienceMs = 5_000;

/** What losses are separated by, and what is known before. */
interface SeparationInput {
  readonly clock: Clock;
  readonly observer: Pick<Observer, 'cluster'>;
  readonly run: string;
  readonly policy: Policy;
  readonly watch: TrafficWatch;
  readonly base: TrafficCounts;
  readonly outlook: Outlook;
}

/** What a monitor has counted, added to the counts before it and separated by whether the run may have caused the loss. */
export interface LossSeparator {
  /** Everything counted by now; what was lost since the last observation counts as caused by the run. */
  counts(): TrafficCounts;
  outlook(): Outlook;
  /** Observes what is out, if it is time. */
  keepObserving(): Promise<void>;
  /** Counts in which everything lost before the call is separated. Where nothing was out, an observation that began after the loss decides. */
  separate(): Promise<TrafficCounts>;
}

/** Starts to separate what a monitor loses. Without probes there is nothing to separate. */
export function separateLosses(input: SeparationInput): LossSeparator {
  const { clock, observer, run, policy, watch, base } = input;
  const isMeasuring = policy.traffic.probes.length > 0;
  const reach = reachMs(policy);
  let { outlook } = input;
  let losses = base.losses ?? [];
  let told: Readonly<Record<string, number>> = {};
  let observedAt = Number.NEGATIVE_INFINITY;

  async function observation(): Promise<void> {
    const seen = new AbortController();
    const inTime = clock.sleep(observationPatienceMs, seen.signal).then(() => undefined);
    try {
      const out = await Promise.race([findOutNow(), inTime]);
      observedAt = clock.now();
      outlook = addObservation(outlook, { at: observedAt, out }, reach);
    } finally {
      seen.abort();
    }
  }

  async function findOutNow(): Promise<readonly string[] | undefined> {
    try {
      return findOut(await observer.cluster(), run);
    } catch (error) {
      if (error instanceof NodeferryError) return undefined;
      throw error;
    }
  }

  const countsOf = (counted: ReturnType<TrafficWatch['counts']>) => ({
    ...addCounts(base, counted),
    ...(losses.length === 0 ? {} : { losses }),
  });

  return {
    counts: () => countsOf(watch.counts()),
    outlook: () => outlook,
    keepObserving: async () => {
      if (isMeasuring && clock.now() - observedAt >= pollIntervalMs) await observation();
    },
    separate: async () => {
      const counted = watch.counts();
      const at = clock.now();
      const more = Object.entries(counted.lostBy).map(([probe, lost]) => [probe, lost - (told[probe] ?? 0)] as const);
      if (isMeasuring && more.some(([, lost]) => lost > 0)) {
        if (!canBeOurs(outlook, at, reach)) await observation();
        const { failureBy } = counted;
        losses = addLosses(losses, { lostBy: Object.fromEntries(more), failureBy, at }, outlook, reach);
        told = counted.lostBy;
      }
      return countsOf(counted);
    },
  };
}
