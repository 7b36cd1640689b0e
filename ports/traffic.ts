import type { ProbePolicy } from '../core/policy/policy.ts';

/** What a watch has counted so far. */
export interface ProbeCounts {
  readonly sent: number;
  readonly lost: number;
  readonly slow: number;
  /** Sent requests, by the name of the probe. */
  readonly sentBy: Readonly<Record<string, number>>;
  /** Lost requests, by the name of the probe. */
  readonly lostBy: Readonly<Record<string, number>>;
  /** How the latest lost request failed, by the name of the probe; only probes that have lost some. */
  readonly failureBy: Readonly<Record<string, string>>;
}

/** A running traffic watch. */
export interface TrafficWatch {
  counts(): ProbeCounts;
  /** Lets requests in flight end, then stops. */
  stop(): Promise<ProbeCounts>;
}

/** Sends probes at a fixed rate, a new connection each, and counts what is lost or slow (connect above 900 ms). */
export interface Traffic {
  watch(probes: readonly ProbePolicy[]): TrafficWatch;
}
