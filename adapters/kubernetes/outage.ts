/** A server that fails for less than this had no outage, ms: connections break, and one of several API servers may restart. */
const minOutageMs = 2_000;

/** Detects outages of the API server from the results of all requests. */
interface OutageWatch {
  /** A request got no answer, or one which says that the server can't handle it; `startedAt` is when it was sent, epoch ms. */
  failed(startedAt: number): void;
  answered(): void;
  /** Epoch ms at which the server last recovered from an outage; undefined when there was none. */
  outageAt(): number | undefined;
}

/** Starts to watch. */
export function watchOutages(now: () => number = Date.now): OutageWatch {
  let failingSince: number | undefined;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let backAt: number | undefined;
  return {
    failed: (startedAt) => {
      failingSince ??= Math.max(startedAt, answeredAt);
    },
    answered: () => {
      if (failingSince !== undefined && now() - failingSince >= minOutageMs) backAt = now();
      failingSince = undefined;
      answeredAt = now();
    },
    outageAt: () => backAt,
  };
}
