import type { WorkflowHandle } from '@temporalio/client';
import { openHarness } from './open-harness.ts';
import type { Harness, StepHooks, UpgradeFunction } from './temporal-harness.ts';
import type { Upgrade } from './upgrade-of.ts';

/** An upgrade that runs on the Temporal server. */
interface StartedUpgrade {
  readonly harness: Harness;
  readonly handle: WorkflowHandle<UpgradeFunction>;
}

/** Starts an upgrade with a worker of its own, which is stopped when the test is over. */
export async function startUpgrade({ world, policy }: Upgrade, hooks: StepHooks = {}): Promise<StartedUpgrade> {
  const harness = await openHarness(world, hooks);
  return { harness, handle: await harness.start(policy) };
}
