import { NodeferryError } from '../core/model/problem.ts';
import type { Policy } from '../core/policy/policy.ts';
import { addLosses } from '../core/status/losses.ts';
import { addObservation, canBeOurs, findOut, type Outlook, reachMs } from '../core/status/outlook.ts';
import { addCounts } from '../core/status/tally.ts';
import type { TrafficCounts } from '../core/status/traffic-counts.ts';
import type { Observer } from '../operations/observer.ts';
import type { Clock } from '../ports/clock.ts';
import type { TrafficWatch } from '../ports/traffic.ts';

/** Between two looks at what is out, while nothing is lost, ms. */
const pollIntervalMs = 10_000;

/** So long a look may take, ms: the lock has to be renewed meanwhile, whatever the API server does. */
const observationPatienceMs = 5_000;

/** What is told apart, and what is known before. */
export interface SeparationInput {
  readonly clock: Clock;
  readonly observer: Pick<Observer, 'cluster'>;
  readonly run: string;
  readonly policy: Policy;
  readonly watch: TrafficWatch;
  readonly base: TrafficCounts;
  readonly outlook: Outlook;
}

/** What a watch has counted, on top of what those before it had, and told apart by whether it can be the run's doing. */
export interface LossSeparator {
  /** All that is counted by now; what is lost since the last look counts as the run's doing. */
  counts(): TrafficCounts;
  outlook(): Outlook;
  /** Looks at what is out, if it is time. */
  keepObserving(): Promise<void>;
  /** Counts in which all is told apart that was lost before the call: where nothing was out, by a look that began after the loss. */
  separate(): Promise<TrafficCounts>;
}

/** Begins to tell apart what a watch loses. Without probes there is nothing to be told. */
export function separateLosses(telling: SeparationInput): LossSeparator {
  const { clock, observer, run, policy, watch, base } = telling;
  const isMeasuring = policy.traffic.probes.length > 0;
  const reach = reachMs(policy);
  let { outlook } = telling;
  let losses = base.losses ?? [];
  let told: Readonly<Record<string, number>> = {};
  let observedAt = Number.NEGATIVE_INFINITY;

  async function observation(): Promise<void> {
    const seen = new AbortController();
    const inTime = clock.sleep(observationPatienceMs, seen.signal).then(() => undefined);
    try {
      const out = await Promise.race([seeOut(), inTime]);
      observedAt = clock.now();
      outlook = addObservation(outlook, { at: observedAt, out }, reach);
    } finally {
      seen.abort();
    }
  }

  async function seeOut(): Promise<readonly string[] | undefined> {
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
        losses = addLosses(losses, Object.fromEntries(more), at, outlook, reach);
        told = counted.lostBy;
      }
      return countsOf(counted);
    },
  };
}
