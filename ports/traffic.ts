import type { ProbePolicy } from '../core/policy/policy.ts';
import type { TrafficCounts } from '../core/status/status.ts';

/** A running traffic watch. */
export interface TrafficWatch {
  counts(): TrafficCounts;
  /** Lets requests in flight end, then stops. */
  stop(): Promise<TrafficCounts>;
}

/** Sends probes at a fixed rate, a new connection each, and counts what is lost or slow (connect above 900 ms). */
export interface Traffic {
  watch(probes: readonly ProbePolicy[]): TrafficWatch;
}
