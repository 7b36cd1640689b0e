import type { Policy, WaitPolicy } from './policy.ts';

/** Timers that protect connections; switched off by `0s`. */
const protectiveTimers = {
  propagation: 'propagationMs',
  endpointPropagation: 'endpointPropagationMs',
  margin: 'marginMs',
  stabilization: 'stabilizationMs',
  stabilizationAfterOutage: 'stabilizationAfterOutageMs',
} as const satisfies Readonly<Record<string, keyof WaitPolicy>>;

/** Timers and floors of a policy that are set to nothing, as fields with their values: each does without a protection. */
export function findSwitchedOff({ waits, guard }: Pick<Policy, 'waits' | 'guard'>): readonly string[] {
  const timers = Object.entries(protectiveTimers).flatMap(([name, key]) =>
    waits[key] === 0 ? [`waits.${name}: 0s`] : [],
  );
  const minServing = Object.entries(guard.minServing).flatMap(([service, floor]) =>
    ('targets' in floor ? floor.targets : floor.share) === 0 ? [`guard.minServing.${service}: 0`] : [],
  );
  return [...timers, ...(guard.defaultMinServing === 0 ? ['guard.defaultMinServing: 0%'] : []), ...minServing];
}

/** Everything that a policy does without: rules by name, then timers and floors. */
export function listUnprotected(policy: Policy): readonly string[] {
  return [...policy.disabledRules, ...findSwitchedOff(policy)];
}
