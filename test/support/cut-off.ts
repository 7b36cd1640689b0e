import { ApplicationFailure, Context } from '@temporalio/activity';
import { createActivities } from '../../activities/activities.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { note, type World } from '../simulator/world.ts';
import { MockActivityEnvironment } from './activity-environment.ts';
import { inActivity } from './in-activity.ts';

/** Attempts whose worker can't reach Temporal any more, which has given them up, but still reaches the cluster. */
interface CutOffAttempts {
  /** The attempt that is to begin now, called from a hook before it, lives on by itself. @throws so that Temporal begins its successor */
  cutOff(step: string, args: readonly unknown[]): never;
  /** Ends those that still live. */
  end(): Promise<void>;
}

/** Steps that take a run's whole time, do nothing to the cluster, and would be counted twice. */
const onlyWatching = ['monitorRun', 'sleepFor'];

/** Whether an attempt at that step may be cut off. */
export function actsOnCluster(step: string): boolean {
  return !onlyWatching.includes(step);
}

/** None is cut off yet. Each has a worker of its own. */
export function createCutOffAttempts(world: World): CutOffAttempts {
  const living: { readonly environment: MockActivityEnvironment; readonly running: Promise<unknown> }[] = [];
  return {
    cutOff: (step, args) => {
      const { info } = Context.current();
      const name = `attempt ${info.attempt} at ${step}, cut off`;
      note(world, name);
      const environment = new MockActivityEnvironment(info);
      const all = createActivities(createSimPorts(world)) as unknown as Record<
        string,
        (...given: unknown[]) => unknown
      >;
      const running = inActivity(world, name, async () => await all[step]?.(...args), environment).then(
        () => note(world, `${name}: has ended`),
        (error: unknown) => note(world, `${name}: ${String(error)}`),
      );
      living.push({ environment, running });
      throw ApplicationFailure.retryable(`${name}: no heartbeat has come`);
    },
    end: async () => {
      for (const { environment } of living) environment.cancel();
      await Promise.all(living.map(({ running }) => running));
    },
  };
}
