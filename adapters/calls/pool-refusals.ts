/** Why a pool is not changed; the same on every cloud. */
import type { InstanceFacts } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';

/** @throws NodeferryError ProviderRefused while the pool that is to be deleted has instances: they would be deleted with it */
export function requireNoInstances(subject: string, left: readonly InstanceFacts[]): void {
  if (left.length === 0) return;
  throw new NodeferryError({
    code: 'ProviderRefused',
    message: `${subject} is not deleted: it still has ${left.map(({ instanceId }) => instanceId).join(', ')}`,
    hint: 'These instances joined after the plan was made, or were not replaced. Replace them with another run, then delete the pool.',
  });
}

/** The refusal to change a pool that the run did not create. `refused`: what is not done; `mark`: where the cloud keeps the creator. */
export function notCreatedBy(
  run: string,
  pool: {
    readonly subject: string;
    readonly refused: string;
    readonly mark: string;
    readonly creator: string | undefined;
  },
): NodeferryError {
  const { subject, refused, mark, creator } = pool;
  return new NodeferryError({
    code: 'NotOwned',
    message: `${subject} ${refused}: run ${run} did not create it`,
    hint: `Its ${mark} says ${creator ?? 'nothing'}.`,
  });
}
