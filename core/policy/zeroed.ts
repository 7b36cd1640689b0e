import type { Policy, WaitPolicy } from './policy.ts';

/** Timers that protect connections. `0s` switches a timer off. */
const protectiveTimers = {
  propagation: 'propagationMs',
  endpointPropagation: 'endpointPropagationMs',
  margin: 'marginMs',
  stabilization: 'stabilizationMs',
  stabilizationAfterOutage: 'stabilizationAfterOutageMs',
} as const satisfies Readonly<Record<string, keyof WaitPolicy>>;

/** Timers and minimums of a policy that are set to zero, each as field and value. Every one of them removes a protection. */
export function findSwitchedOff({ waits, guard }: Pick<Policy, 'waits' | 'guard'>): readonly string[] {
  const timers = Object.entries(protectiveTimers).flatMap(([name, key]) =>
    waits[key] === 0 ? [`waits.${name}: 0s`] : [],
  );
  const minServing = Object.entries(guard.minServing).flatMap(([service, minimum]) =>
    ('targets' in minimum ? minimum.targets : minimum.share) === 0 ? [`guard.minServing.${service}: 0`] : [],
  );
  return [...timers, ...(guard.defaultMinServing === 0 ? ['guard.defaultMinServing: 0%'] : []), ...minServing];
}

/** Every protection that a policy switches off: rules by name, then timers and minimums. */
export function listUnprotected(policy: Policy): readonly string[] {
  return [...policy.disabledRules, ...findSwitchedOff(policy)];
}
