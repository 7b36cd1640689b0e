import { activityInfo, Context } from '@temporalio/activity';
import type { PoolLock } from '../core/model/pool-lock.ts';
import { NodeferryError } from '../core/model/problem.ts';
import { compareText } from '../core/text/format.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import { createLockQueue, type LockQueue } from './lock-queue.ts';

/** Long enough for one observation, one dry run and one patch, ms; a worker that dies inside blocks others for no longer. */
const lockDurationMs = 30_000;

/** How long steps of one worker wait for each other before they observe again, ms. */
const patienceMs = 10_000;

/** What can be done with the locks while they are held. */
export interface HeldLocks {
  /** Called right before the action. @throws LockLost */
  require(): Promise<void>;
  /** Keeps the locks during work that may take longer than they last by themselves. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** What runs under the locks. */
interface CriticalSection<T> {
  readonly run: string;
  readonly names: readonly string[];
  /** Observes and acts; checks right before it acts that all locks are still held. */
  readonly body: (held: HeldLocks) => Promise<T>;
  /** The result while somebody else holds one of the locks. */
  readonly whenBusy: (held: NodeferryError) => T;
}

/** What locks need. */
type LockPorts = Pick<Ports<Locks>, 'clock' | 'cluster'>;

/** Lock queues of the steps of a worker, which share its cluster port. */
const queueOf = new WeakMap<Locks, LockQueue>();

/**
 * Runs `body` while holding a momentary lock per name: two nodes, even of two runs or on two workers, never act on the same stale facts.
 * The holder is this attempt at this step, not another one of the same run. Steps of one worker wait for each other in a queue, without
 * polling the API server. A lock that another worker holds is reported by `whenBusy`.
 * @throws LockLost from `HeldLocks.require` when `body` took too long
 */
export async function withLocks<T>(ports: LockPorts, moment: CriticalSection<T>): Promise<T> {
  const queue = queueOf.get(ports.cluster) ?? createLockQueue(ports.clock);
  queueOf.set(ports.cluster, queue);
  const names = [...new Set(moment.names)].toSorted(compareText);
  const leaveQueue = await queue.enter(names, patienceMs, Context.current().cancellationSignal);
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

async function runLocked<T>(ports: LockPorts, { run, names, body, whenBusy }: CriticalSection<T>): Promise<T> {
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

/** Prefix of the holders of momentary locks that steps of this workflow acquire for the run. */
export function holdersOfWorkflow(run: string): string {
  return `${run}/${activityInfo().workflowExecution?.runId ?? ''}.`;
}

function holding({ cluster, clock }: LockPorts, locks: readonly PoolLock[]): HeldLocks {
  const renew = async () => {
    for (const lock of locks) await cluster.renewLock(lock, lockDurationMs);
  };

  async function renewUntil(over: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(lockDurationMs / 3, over);
      if (over.aborted) return;
      // A lock that can't be renewed is noticed before the action.
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

/** A lock that can't be released now expires soon; that must not turn a successful action into a failure. */
async function release(ports: LockPorts, lock: PoolLock): Promise<void> {
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

/** Names of the locks for the disruption of a pod: those of its budgets, or those of its Services when it has none. */
export function disruptionLockNames(
  budgets: readonly { readonly namespace: string; readonly name: string }[],
  services: readonly { readonly key: string }[],
): readonly string[] {
  if (budgets.length > 0) return budgets.map((budget) => `disrupt-${budget.namespace}-${budget.name}`);
  return services.map((service) => `disrupt-service-${service.key.replace('/', '-')}`);
}
