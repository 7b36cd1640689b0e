import type { WorkflowHandle } from '@temporalio/client';
import type { PodSurgeTerms, Policy } from '../../core/policy/policy.ts';
import type { RolloutPolicy } from '../../core/rollout/rollout.ts';
import type { SchedulePolicy } from '../../core/schedule/schedule.ts';
import type { PoolUpgradeInput } from '../../workflows/messages.ts';
import { createScenario, podSurgePolicy, type ScenarioOptions, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from './open-harness.ts';
import type { Harness, StepHooks, UpgradeFunction } from './temporal-harness.ts';

/** What is different from the upgrade of four nodes in two zones, whose pods are evicted. */
export interface UpgradeScene extends ScenarioOptions {
  /** Pods are surged, with these terms. */
  readonly podSurge?: Partial<PodSurgeTerms>;
  readonly policy?: PolicyChange;
}

/** Parts of a policy of which a scene names only what is different. */
interface ChangedParts {
  readonly guard?: Partial<Policy['guard']>;
  readonly waits?: Partial<Policy['waits']>;
  readonly drain?: Partial<Policy['drain']>;
  readonly traffic?: Partial<Policy['traffic']>;
  readonly schedule?: Partial<SchedulePolicy>;
  readonly rollout?: Partial<RolloutPolicy>;
}

/** Parts of a policy that are different. */
export type PolicyChange = ChangedParts & Partial<Omit<Policy, keyof ChangedParts>>;

/** A pool upgrade that may begin: the world is settled, and nobody has touched anything. */
export interface Upgrade {
  readonly world: World;
  readonly policy: Policy;
  /** Starts it as a workflow, with a worker of its own, which is stopped when the test is over. */
  readonly start: (hooks?: StepHooks, input?: Partial<PoolUpgradeInput>) => Promise<StartedUpgrade>;
}

/** An upgrade that runs on the Temporal server. */
export interface StartedUpgrade extends Upgrade {
  readonly harness: Harness;
  readonly handle: WorkflowHandle<UpgradeFunction>;
}

/** Sets the scene of an upgrade. */
export function upgradeOf({ podSurge, policy: change = {}, ...options }: UpgradeScene = {}): Upgrade {
  const world = createScenario(options);
  const policy = changed(podSurge === undefined ? scenarioPolicy() : podSurgePolicy(podSurge), change);
  const start: Upgrade['start'] = async (hooks = {}, input = {}) => {
    const harness = await openHarness(world, hooks);
    return { world, policy, start, harness, handle: await harness.start(policy, input) };
  };
  return { world, policy, start };
}

function changed(policy: Policy, { schedule, rollout, ...change }: PolicyChange): Policy {
  const { guard, waits, drain, traffic } = policy;
  return {
    ...policy,
    ...change,
    guard: { ...guard, ...change.guard },
    waits: { ...waits, ...change.waits },
    drain: { ...drain, ...change.drain },
    traffic: { ...traffic, ...change.traffic },
    ...(schedule && { schedule: { timeZone: 'UTC', windows: [], freezes: [], calendars: [], ...schedule } }),
    ...(rollout && { rollout: { zones: [], ...rollout } }),
  };
}
