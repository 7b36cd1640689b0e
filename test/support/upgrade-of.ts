import type { PodSurgeTerms, Policy } from '../../core/policy/policy.ts';
import { createScenario, podSurgePolicy, type ScenarioOptions, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';

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
}

/** Sets the scene of an upgrade. `startUpgrade` runs it as a workflow, `holdPool` does single steps of it. */
export function upgradeOf({ podSurge, policy, ...options }: UpgradeScene = {}): Upgrade {
  return {
    world: createScenario(options),
    policy: podSurge === undefined ? scenarioPolicy(policy) : podSurgePolicy(podSurge, policy),
  };
}
