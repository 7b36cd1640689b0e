import { ApplicationFailure } from '@temporalio/activity';
import type { SimulatedGcp } from '../../lab/gcp/server.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ManagedNodePools } from '../../ports/node-pools.ts';
import type { World } from '../simulator/world.ts';

/** A worker that is killed while the cloud changes something, and another one that takes its place. */
export interface MortalWorker {
  /** The node pools, as the worker that lives reaches them. */
  readonly pools: ManagedNodePools;
  /** Each of these calls takes effect the next time it is made, and kills the worker before it has the answer. */
  killAt(...methods: readonly string[]): void;
  /** The calls that have killed a worker, in order. */
  killedAt(): readonly string[];
}

/** One worker, as far as node pools are concerned. */
interface Life {
  readonly pools: ManagedNodePools;
  /** Rejects when it is killed. */
  readonly end: Promise<never>;
  readonly kill: () => void;
}

/**
 * A worker that is killed does nothing any more: whoever waits for a call of its fails as if the process had gone, and what it was doing never goes on.
 * The adapter sleeps after an answer that is lost, before it does anything else; that is the moment.
 */
export function mortalWorker(
  { clock }: Pick<World, 'clock'>,
  gcp: SimulatedGcp,
  create: (clock: Clock) => ManagedNodePools,
): MortalWorker {
  let life = begin();

  function killedAt(): readonly string[] {
    return gcp.requests.filter(({ outcome }) => outcome === 'lost').map(({ method }) => method);
  }

  function begin(): Life {
    const end = Promise.withResolvers<never>();
    end.promise.catch(() => undefined);
    const lostBefore = killedAt().length;
    const isKilled = () => killedAt().length > lostBefore;
    const own: Life = {
      end: end.promise,
      kill: () => end.reject(ApplicationFailure.retryable('the worker was killed')),
      pools: create({
        now: () => clock.now(),
        sleep: async (ms, signal) => {
          if (isKilled()) {
            if (life === own) life = begin();
            own.kill();
            await new Promise<never>(() => undefined);
          }
          await clock.sleep(ms, signal);
        },
      }),
    };
    return own;
  }

  const pools = throughWorker(
    () => life,
    ({ pools: own }) => own,
  );

  return {
    pools,
    killAt: (...methods) => {
      for (const method of methods) gcp.faults.fail('lost', { method });
    },
    killedAt,
  };
}

/** The calls that `of` finds, and those of the capabilities among them, made by the worker that lives then. */
function throughWorker<T extends object>(living: () => Life, of: (life: Life) => T): T {
  const parts = (Object.keys(of(living())) as (keyof T)[]).map((name) => {
    const part = of(living())[name];
    if (typeof part === 'object' && part !== null)
      return [name, throughWorker(living, (life) => of(life)[name] as object)];
    const call = async (...args: unknown[]) => {
      const life = living();
      return await Promise.race([(of(life)[name] as (...given: unknown[]) => Promise<unknown>)(...args), life.end]);
    };
    return [name, call];
  });
  return Object.fromEntries(parts) as T;
}
