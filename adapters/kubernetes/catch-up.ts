import { setTimeout as delay } from 'node:timers/promises';

import { NodeferryError } from '../../core/model/problem.ts';
import type { Connection } from './connection.ts';
import { unreachable } from './errors.ts';
import { type ListBody, type Reflector, versionOf } from './reflector.ts';

/** How long to try, ms. */
export interface FreshnessTiming {
  /** After this time the cluster counts as unreachable. */
  readonly freshWithinMs: number;
  /** A cache that still differs from the API server after this time is listed again. */
  readonly relistAfterMs: number;
  /** Longest wait for the current state of a collection. */
  readonly headTimeoutMs: number;
  /** Resources that change rarely are listed again only after this time. */
  readonly surroundingsKeptForMs: number;
}

/** Times that suit a real cluster. */
export const defaultFreshness: FreshnessTiming = {
  freshWithinMs: 20_000,
  relistAfterMs: 3_000,
  headTimeoutMs: 5_000,
  surroundingsKeptForMs: 60_000,
};

/** State of a collection, from a read that the API server may not answer from stale data. */
interface Head {
  readonly resourceVersion: bigint;
  readonly count: number;
}

/** A watch without an event for this long has delivered everything that the server had sent. */
const stabilizationMs = 50;
const pauseBetweenTriesMs = 250;

/**
 * Resolves once the cache holds everything that the API server had committed when this was called; starts the cache first.
 *
 * A watch alone is not enough: on a quiet resource, a dead connection can't be told from one without changes.
 * So the collection is read with `limit=1`: a consistent read with one small response, whatever the size of the cluster
 * (Kubernetes 1.34 and later answer it from their cache, once that has caught up with etcd, KEP-2340 and KEP-4988; earlier
 * ones with a one-item read of etcd). The cache is up to date when
 * - it has reached the resourceVersion of that response; or, because that number also increases with all other resources,
 * - one and the same watch was open before the read and still is, no event has come for `stabilizationMs` since the response, and
 *   the number of objects is the same;
 * and in both cases the watch has delivered everything that we wrote ourselves.
 * The read and the watch share one HTTP/2 connection, so the response also proves that the connection of the watch is alive. If a
 * proxy splits them, a dead watch lasts 13 s at most (reflector.ts). A cache that differs for longer is listed again in full.
 *
 * @throws NodeferryError ClusterUnreachable when that takes longer than `freshWithinMs`, or a page of a list does: nothing stale is ever returned;
 * Forbidden when the resource may not be read
 */
export async function catchUp<T>(connection: Connection, cache: Reflector<T>, timing: FreshnessTiming): Promise<void> {
  cache.start();
  let deadline = Date.now() + timing.freshWithinMs;
  let problem: NodeferryError | undefined;
  while (Date.now() < deadline) {
    try {
      if (!(await cache.waitUntil(() => cache.state().stream !== undefined, deadline))) {
        // A list of thousands of pods takes longer, page by page.
        deadline = cache.state().lastPageAt + timing.freshWithinMs;
        continue;
      }
      if (await agrees(connection, cache, timing, deadline)) return;
      cache.restart();
      // A list that began after the call is as good as an answer.
      if (await cache.waitUntil(() => cache.state().stream !== undefined, deadline)) return;
    } catch (error) {
      if (!(error instanceof NodeferryError) || error.problem.code !== 'ClusterUnreachable') throw error;
      problem = error;
      await delay(pauseBetweenTriesMs);
    }
  }
  throw problem ?? cache.state().lastError ?? unreachable(`its ${cache.resource} can't be followed`);
}

async function agrees<T>(
  connection: Connection,
  cache: Reflector<T>,
  timing: FreshnessTiming,
  deadline: number,
): Promise<boolean> {
  const giveUpAt = Math.min(deadline, Date.now() + timing.headTimeoutMs + timing.relistAfterMs);
  while (Date.now() < giveUpAt) {
    if (!(await cache.waitUntil(() => cache.state().stream !== undefined, giveUpAt))) return false;
    const { stream } = cache.state();
    const head = await readHead(connection, cache, timing);
    const answeredAt = Date.now();
    const lost = () => cache.state().stream !== stream;
    const caughtUp = () => {
      const { reached, size, ownWritesSeen, lastEventAt } = cache.state();
      if (!ownWritesSeen) return false;
      if (reached >= head.resourceVersion) return true;
      return !lost() && size === head.count && Date.now() - Math.max(answeredAt, lastEventAt) >= stabilizationMs;
    };
    const until = Math.min(deadline, answeredAt + timing.relistAfterMs);
    await cache.waitUntil(() => caughtUp() || lost(), until);
    if (caughtUp()) return true;
    if (!lost()) return false;
  }
  return false;
}

async function readHead<T>(connection: Connection, cache: Reflector<T>, timing: FreshnessTiming): Promise<Head> {
  const body = await connection.fetch<ListBody>({
    resource: cache.resource,
    verb: 'list',
    query: { limit: '1' },
    timeoutMs: timing.headTimeoutMs,
  });
  const count = (body.items?.length ?? 0) + (body.metadata.remainingItemCount ?? 0);
  return { resourceVersion: versionOf(body), count };
}
