import type { Clock } from '../../ports/clock.ts';

/** A place in the queue for calls. */
export interface Ticket {
  /** Resolves when the caller may make one call. */
  readonly come: Promise<void>;
  /** Moves ahead of all tickets that are not in a hurry. */
  hurry(): void;
}

/** Admits calls in the order of asking, within a rate. */
export interface RateLimiter {
  queue(): Ticket;
  /** Queues and waits, before all others if `first` says so; resolves when the caller may make one call. */
  acquire(first?: boolean): Promise<void>;
}

interface Waiting {
  hurried: boolean;
  readonly go: () => void;
  readonly fail: (why: unknown) => void;
}

/** A token bucket: `burst` calls at once, then `ratePerSecond`. */
export function createRateLimiter(options: {
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly clock: Clock;
}): RateLimiter {
  const { clock, ratePerSecond, burst } = options;
  const intervalMs = 1000 / ratePerSecond;
  /** When the bucket would be full again if nobody asked any more, epoch ms. */
  let fullAt = 0;
  let waiting: Waiting[] = [];
  let serving = false;

  function queue(): Ticket {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry: Waiting = { hurried: false, go: resolve, fail: reject };
    waiting.push(entry);
    if (!serving) void serve();
    return {
      come: promise,
      hurry: () => {
        entry.hurried = true;
      },
    };
  }

  /** The next ticket is chosen when the bucket has a token, not before. */
  async function serve(): Promise<void> {
    serving = true;
    try {
      while (waiting.length > 0) {
        const waitMs = Math.max(fullAt, clock.now()) + intervalMs - clock.now() - burst * intervalMs;
        if (waitMs > 0) await clock.sleep(waitMs);
        const next = waiting.find(({ hurried }) => hurried) ?? waiting[0];
        waiting = waiting.filter((entry) => entry !== next);
        fullAt = Math.max(fullAt, clock.now()) + intervalMs;
        next?.go();
      }
    } catch (error) {
      for (const { fail } of waiting) fail(error);
      waiting = [];
    } finally {
      serving = false;
    }
  }

  async function acquire(first = false): Promise<void> {
    const ticket = queue();
    if (first) ticket.hurry();
    await ticket.come;
  }

  return { queue, acquire };
}
