import { Context } from '@temporalio/activity';
import type { Activities } from '../../activities/activities.ts';
import type { Heartbeat } from '../../core/status/heartbeat.ts';
import { longWaits } from '../../workflows/messages.ts';
import type { VirtualClock } from '../simulator/clock.ts';
import type { Awaits } from './awaits.ts';
import { type AttemptState, activityKey } from './open-ends.ts';

/** Called around every attempt of every step, and virtual time stands still meanwhile; may be changed while the test runs. */
export interface StepHooks {
  /** Steps that the worker carries out together; as many as there are unless told otherwise. */
  maxSteps?: number;
  /** Before it; throw to make the attempt fail. */
  before?: (step: string, args: readonly unknown[]) => void | Promise<void>;
  /** After it has had its effect; throw to lose the answer. */
  after?: (step: string, args: readonly unknown[]) => void | Promise<void>;
  /** Hears every heartbeat. */
  progress?: (step: string, details: Heartbeat) => void;
  /** After every activation of a workflow, before the server hears what it wants done; hears what the workflow waits for. */
  activated?: (workflowId: string, awaits: Awaits) => void | Promise<void>;
  /** Hears what workflows log, instead of the log. */
  logged?: (message: string) => void;
}

/** The attempts at steps that a worker carries out. */
interface Attempts {
  /** The steps as a worker shall have them. */
  readonly steps: Activities;
  /** How the attempts of an activity stand, by its key. While no step can begin, a long wait that has yet to begin counts as queued too. */
  of(activity: string): AttemptState;
  /** Ends all attempts, wherever they hang. */
  end(): void;
}

/**
 * Real ms between two heartbeats of an attempt that is to end. Steps report when they observe, which takes virtual time; that
 * somebody has cancelled them is to reach them while time stands still, and only the answer to a heartbeat tells them.
 */
const heartbeatIntervalMs = 200;

/** Steps that take no slot of the others. */
const long: ReadonlySet<string> = new Set(longWaits);

/** All others do so once in so many times: each costs the server as much as a step, and what a test's own client ends is not known here. */
const othersOnceIn = 10;

/** Makes every attempt known to the virtual clock, and lets a test interfere. `isToEnd` answers for an activity, by its key. */
export function createAttempts(
  activities: Activities,
  clock: VirtualClock,
  hooks: StepHooks,
  isToEnd: (activity: string) => boolean = () => true,
): Attempts {
  const running = new Map<string, Set<Context>>();
  let taken = 0;
  let end = (): void => undefined;
  const over = new Promise<never>((_, reject) => {
    end = () => reject(new Error('the test is over'));
  });
  over.catch(() => undefined);

  async function attempt(name: string, step: (...args: unknown[]) => Promise<unknown>, args: readonly unknown[]) {
    await hooks.before?.(name, args);
    const result = await step(...args);
    await hooks.after?.(name, args);
    return result;
  }

  const steps = Object.entries(activities).map(([name, step]) => [
    name,
    async (...args: unknown[]) => {
      const context = Context.current();
      const key = keyOf(context);
      const attempts = running.get(key) ?? new Set();
      running.set(key, attempts.add(context));
      const slots = long.has(name) ? 0 : 1;
      taken += slots;
      const stopTelling = keepTelling(name, hooks, () => isToEnd(key));
      // A step may sleep through its cancellation: it has heard of it all the same.
      context.cancellationSignal.addEventListener('abort', () => clock.recheck(), { once: true });
      try {
        return await clock.act(
          `attempt ${context.info.attempt} at ${name}`,
          async () =>
            await Promise.race([over, attempt(name, step as (...given: unknown[]) => Promise<unknown>, args)]),
        );
      } finally {
        stopTelling();
        attempts.delete(context);
        taken -= slots;
      }
    },
  ]);

  return {
    steps: Object.fromEntries(steps) as Activities,
    of: (activity) => {
      const attempts = [...(running.get(activity) ?? [])];
      if (attempts.length === 0) return taken >= (hooks.maxSteps ?? Number.POSITIVE_INFINITY) ? 'queued' : 'none';
      return attempts.some(({ cancellationSignal }) => cancellationSignal.aborted) ? 'cancelled' : 'running';
    },
    end,
  };
}

function keyOf({ info }: Context): string {
  const { workflowExecution, activityId } = info;
  if (workflowExecution === undefined) throw new Error(`${info.activityType} was not asked for by a workflow`);
  return activityKey(workflowExecution, activityId);
}

/** Repeats what the attempt that is running now told last, and lets the test hear what it tells; ends by what is returned. */
function keepTelling(step: string, hooks: StepHooks, isToEnd: () => boolean): () => void {
  const context = Context.current();
  const tell = context.heartbeat.bind(context);
  let latest: unknown = context.info.heartbeatDetails;
  Object.defineProperty(context, 'heartbeat', {
    value: (details: Heartbeat) => {
      latest = details;
      tell(details);
      hooks.progress?.(step, details);
    },
  });
  let times = 0;
  const timer = setInterval(() => {
    times += 1;
    if (times % othersOnceIn === 0 || isToEnd()) tell(latest);
  }, heartbeatIntervalMs);
  return () => clearInterval(timer);
}
