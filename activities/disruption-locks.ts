import { NodeferryError } from '../core/model/problem.ts';
import { compareText } from '../core/text/format.ts';
import type { PoolLock } from '../ports/cluster.ts';
import type { Ports } from '../ports/ports.ts';

/** Long enough for one look, one dry run and one patch, ms; a worker that dies inside holds others up for no longer. */
const heldMs = 30_000;

/**
 * Runs `body` while holding a short lock per name (a budget's, or a Service's where there is none): two nodes, maybe on two workers,
 * never take a pod from the same one on the same stale facts. `body` asks right before it acts whether all of them are still held.
 * @throws LockHeld when another node is at it; LockLost from `body`'s question when it took too long.
 */
export async function withDisruptionLocks<T>(
  ports: Ports,
  names: readonly string[],
  holder: string,
  body: (stillHeld: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const locks: PoolLock[] = [];
  try {
    for (const name of names.toSorted(compareText)) locks.push(await ports.cluster.acquireLock(name, holder, heldMs));
    return await body(async () => {
      for (const lock of locks) await ports.cluster.renewLock(lock, heldMs);
    });
  } finally {
    for (const lock of locks) await release(ports, lock);
  }
}

/** A lock that can't be given back now expires soon; it must not turn a pod's success into a failure. */
async function release(ports: Ports, lock: PoolLock): Promise<void> {
  for (let tries = 1; tries <= 10; tries++) {
    try {
      await ports.cluster.releaseLock(lock);
      return;
    } catch (error) {
      if (!(error instanceof NodeferryError)) throw error;
      await ports.clock.sleep(error.retryAfterMs ?? 200);
    }
  }
}

/** Names of the locks that guard a pod's leaving: those of its budgets, else those of its Services. */
export function disruptionLockNames(
  budgets: readonly { readonly namespace: string; readonly name: string }[],
  services: readonly { readonly key: string }[],
): readonly string[] {
  if (budgets.length > 0) return budgets.map((budget) => `unlist-${budget.namespace}-${budget.name}`);
  return services.map((service) => `unlist-service-${service.key.replace('/', '-')}`);
}
