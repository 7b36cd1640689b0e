/** A server that fails for less than this was not away, ms: connections break, and one of several API servers may restart. */
const minOutageMs = 2_000;

/** Notices when the API server was away, from what becomes of all requests. */
interface OutageWatch {
  /** A request got no answer, or one that says that the server can't; `startedAt` is when it was sent, epoch ms. */
  failed(startedAt: number): void;
  answered(): void;
  /** Epoch ms at which the server was last back after an outage; undefined when there was none. */
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
