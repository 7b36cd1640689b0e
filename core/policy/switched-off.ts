import type { Policy, WaitPolicy } from './policy.ts';

/** Timers that protect connections; switched off by `0s`. */
const protectiveTimers = {
  propagation: 'propagationMs',
  endpointPropagation: 'endpointPropagationMs',
  margin: 'marginMs',
  settle: 'settleMs',
  settleAfterOutage: 'settleAfterOutageMs',
} as const satisfies Readonly<Record<string, keyof WaitPolicy>>;

/** Timers and floors of a policy that are set to nothing, as fields with their values: each does without a protection. */
export function findSwitchedOff({ waits, guard }: Pick<Policy, 'waits' | 'guard'>): readonly string[] {
  const timers = Object.entries(protectiveTimers).flatMap(([name, key]) =>
    waits[key] === 0 ? [`waits.${name}: 0s`] : [],
  );
  const floors = Object.entries(guard.floors).flatMap(([service, floor]) =>
    ('targets' in floor ? floor.targets : floor.share) === 0 ? [`guard.floors.${service}: 0`] : [],
  );
  return [...timers, ...(guard.defaultFloor === 0 ? ['guard.defaultFloor: 0%'] : []), ...floors];
}

/** Everything that a policy does without: rules by name, then timers and floors. */
export function listUnprotected(policy: Policy): readonly string[] {
  return [...policy.disabledRules, ...findSwitchedOff(policy)];
}
