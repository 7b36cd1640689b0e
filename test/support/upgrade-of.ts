import type { WorkflowHandle } from '@temporalio/client';
import type { PodSurgeTerms, Policy } from '../../core/policy/policy.ts';
import { createScenario, podSurgePolicy, type ScenarioOptions, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from './open-harness.ts';
import type { Harness, StepHooks, UpgradeFunction } from './temporal-harness.ts';

/** What is different from the upgrade of four nodes in two zones, whose pods are evicted. */
export interface UpgradeScene extends ScenarioOptions {
  /** Pods are surged, with these terms. */
  readonly podSurge?: Partial<PodSurgeTerms>;
  readonly policy?: Partial<Policy>;
}

/** A pool upgrade that may begin: the world is settled, and nobody has touched anything. */
export interface Upgrade {
  readonly world: World;
  readonly policy: Policy;
  /** Starts it as a workflow, with a worker of its own, which is stopped when the test is over. */
  readonly start: (hooks?: StepHooks) => Promise<StartedUpgrade>;
}

/** An upgrade that runs on the Temporal server. */
interface StartedUpgrade extends Upgrade {
  readonly harness: Harness;
  readonly handle: WorkflowHandle<UpgradeFunction>;
}

/** Sets the scene of an upgrade. */
export function upgradeOf({ podSurge, policy: change, ...options }: UpgradeScene = {}): Upgrade {
  const world = createScenario(options);
  const policy = podSurge === undefined ? scenarioPolicy(change) : podSurgePolicy(podSurge, change);
  const start = async (hooks: StepHooks = {}) => {
    const harness = await openHarness(world, hooks);
    return { world, policy, start, harness, handle: await harness.start(policy) };
  };
  return { world, policy, start };
}
