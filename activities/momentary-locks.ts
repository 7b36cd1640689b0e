import { activityInfo, Context } from '@temporalio/activity';
import type { PoolLock } from '../core/model/pool-lock.ts';
import { NodeferryError } from '../core/model/problem.ts';
import { compareText } from '../core/text/format.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Ports } from '../ports/ports.ts';
import { createLockQueue, type LockQueue } from './lock-queue.ts';

/** Long enough for one look, one dry run and one patch, ms; a worker that dies inside holds others up for no longer. */
const lockDurationMs = 30_000;

/** Steps of one worker wait so long for each other before they look again, ms. */
const patienceMs = 10_000;

/** What can be done about the locks while they are held. */
export interface HeldLocks {
  /** Right before the act. @throws LockLost */
  require(): Promise<void>;
  /** Keeps the locks while something goes on that may take longer than they last by themselves. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** What is done for a moment under locks. */
export interface CriticalSection<T> {
  readonly run: string;
  readonly names: readonly string[];
  /** Looks and acts; asks right before it acts whether all locks are still held. */
  readonly body: (held: HeldLocks) => Promise<T>;
  /** What it comes to while somebody else is in that moment. */
  readonly whenBusy: (held: NodeferryError) => T;
}

/** Turns at short locks among the steps of a worker, which share its cluster port. */
const queueOf = new WeakMap<Cluster, LockQueue>();

/**
 * Runs `body` while holding a short lock per name: two nodes, maybe of two runs or on two workers, never act on the same stale facts.
 * The holder is this attempt of this step, and no other of the same run. Steps of one worker wait for each other in a queue, without asking
 * the API server again and again; those of another are found to hold the lock.
 * @throws LockLost from `body`'s question when it took too long.
 */
export async function withLocks<T>(ports: Ports, moment: CriticalSection<T>): Promise<T> {
  const queue = queueOf.get(ports.cluster) ?? createLockQueue(ports.clock);
  queueOf.set(ports.cluster, queue);
  const names = [...new Set(moment.names)].toSorted(compareText);
  const leaveQueue = await queue.take(names, patienceMs, Context.current().cancellationSignal);
  if (leaveQueue === undefined) return moment.whenBusy(busyHere(names));
  try {
    return await runLocked(ports, { ...moment, names });
  } finally {
    leaveQueue();
  }
}

function busyHere(names: readonly string[]): NodeferryError {
  return new NodeferryError({ code: 'LockHeld', message: `other steps of this worker wait for ${names.join(', ')}` });
}

async function runLocked<T>(ports: Ports, { run, names, body, whenBusy }: CriticalSection<T>): Promise<T> {
  const { activityId, attempt } = activityInfo();
  const holder = `${holdersOfWorkflow(run)}${activityId}.${attempt}`;
  const locks: PoolLock[] = [];
  try {
    for (const name of names) locks.push(await ports.cluster.acquireLock(name, holder, lockDurationMs));
    return await body(holding(ports, locks));
  } catch (error) {
    if (!(error instanceof NodeferryError) || error.problem.code !== 'LockHeld') throw error;
    return whenBusy(error);
  } finally {
    for (const lock of locks) await release(ports, lock);
  }
}

/** What the holders of short locks begin with that steps of this workflow take for the run. */
export function holdersOfWorkflow(run: string): string {
  return `${run}/${activityInfo().workflowExecution?.runId ?? ''}.`;
}

function holding({ cluster, clock }: Ports, locks: readonly PoolLock[]): HeldLocks {
  const renew = async () => {
    for (const lock of locks) await cluster.renewLock(lock, lockDurationMs);
  };

  async function renewUntil(over: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(lockDurationMs / 3, over);
      if (over.aborted) return;
      // A lock that can't be kept is noticed before the act.
      await renew().catch(throwUnlessOurs);
    }
  }

  return {
    require: renew,
    during: async (work) => {
      const over = new AbortController();
      const [result] = await Promise.all([work.finally(() => over.abort()), renewUntil(over.signal)]);
      return result;
    },
  };
}

function throwUnlessOurs(error: unknown): void {
  if (!(error instanceof NodeferryError)) throw error;
}

/** A lock that can't be given back now expires soon; it must not turn an act's success into a failure. */
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
  if (budgets.length > 0) return budgets.map((budget) => `disrupt-${budget.namespace}-${budget.name}`);
  return services.map((service) => `unlist-service-${service.key.replace('/', '-')}`);
}
