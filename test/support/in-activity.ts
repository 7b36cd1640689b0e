import type { World } from '../simulator/world.ts';
import { MockActivityEnvironment } from './activity-environment.ts';

/** Runs something in the context of an activity that acts in the world. */
export async function inActivity<T>(
  world: World,
  activityId: string,
  body: () => Promise<T>,
  environment = new MockActivityEnvironment({ activityId }),
): Promise<T> {
  return await world.clock.act(activityId, async (): Promise<T> => await environment.run(body));
}
