import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { catchUp, defaultFreshness } from '../../../adapters/kubernetes/catch-up.ts';
import type { Connection } from '../../../adapters/kubernetes/connection.ts';
import { createReflector } from '../../../adapters/kubernetes/reflector.ts';

const timing = { ...defaultFreshness, freshWithinMs: 1_000 };
const never = new Promise<never>(() => undefined);

/** An API server with that many pages of one pod each, of which each takes a while to come; the last one may never come. */
function openPages(pages: number, { pageMs, hangs = false }: { readonly pageMs: number; readonly hangs?: boolean }) {
  let page = 0;
  const connection = {
    fetch: async ({ query }: { readonly query: { readonly limit: string } }) => {
      if (query.limit === '1')
        return { metadata: { resourceVersion: '7', remainingItemCount: pages - 1 }, items: [{ metadata: {} }] };
      page += 1;
      if (hangs && page === pages) return await never;
      await delay(pageMs);
      const next = page < pages ? { continue: String(page) } : {};
      return { metadata: { resourceVersion: '7', ...next }, items: [{ metadata: { name: `pod-${page}` } }] };
    },
    watch: () => ({ opened: Promise.resolve(true), ended: never, abort: () => undefined }),
    generation: () => 0,
  } as unknown as Connection;
  return { connection, cache: createReflector(connection, 'pods', ({ metadata }) => metadata?.name) };
}

test('a list whose pages keep coming is waited for, though all of them take longer than the cluster may be away', async () => {
  const { connection, cache } = openPages(10, { pageMs: 150 });
  await catchUp(connection, cache, timing);
  expect(cache.values()).toHaveLength(10);
  cache.stop();
});

test('a list whose next page does not come counts as an unreachable cluster', async () => {
  const { connection, cache } = openPages(3, { pageMs: 10, hangs: true });
  await expect(catchUp(connection, cache, timing)).rejects.toMatchObject({ problem: { code: 'ClusterUnreachable' } });
  cache.stop();
});
