/** Services that operators have accepted during a run: they may lose connections. */
import { withUnprotected } from '../plan/acceptance.ts';
import type { Policy } from '../policy/policy.ts';
import type { RunStatus } from '../status/status.ts';

/** The Services, as `namespace/name`. */
export function acceptedDuring({ actions }: Pick<RunStatus, 'actions'>): readonly string[] {
  return actions.flatMap(({ action, of }) => (action === 'accept-unprotected' ? (of ?? []) : []));
}

/** The policy with these Services accepted; the same object where there are none. */
export function withAccepted<P extends Pick<Policy, 'guard'>>(policy: P, services: readonly string[]): P {
  return services.length === 0 ? policy : withUnprotected(policy, services);
}
