import { isInPlace } from '../core/policy/members.ts';
import type { Policy } from '../core/policy/policy.ts';
import { printable } from '../core/text/printable.ts';
import { fieldName } from './field-name.ts';
import type { PolicyProblem } from './policy-problem.ts';
import type { ProviderSection } from './providers/section.ts';
import { keyOffset, nodeAt, placeAt, type Source, startOf } from './read-yaml.ts';
import type { WrittenPolicy } from './schema.ts';

/** A target as it was written, and the rules of its provider. */
interface Written {
  readonly written: WrittenPolicy;
  readonly section: ProviderSection;
}

/** Checks what no field of `spec.target` can say by itself: whether the new pool can have that name, and whether the fields go together. */
export function checkTarget(source: Source, policy: Policy, { written, section }: Written): readonly PolicyProblem[] {
  if (written.spec.target.adopt) return checkAdopted(source, policy, written);
  const { poolName } = policy.target;
  if (isInPlace(policy)) {
    if (section.replacesInPlace === true) return [];
    const allowed =
      'a name that differs from spec.pool.name, because this provider replaces no pool under its own name';
    return [{ ...atName(source, `'${poolName}' is the name of the pool to replace`), allowed }];
  }
  const { maxPoolNameLength } = section;
  if (poolName.length <= maxPoolNameLength) return [];
  const message = `the default '${printable(poolName)}' is longer than ${maxPoolNameLength} characters`;
  return [{ ...atName(source, message), allowed: `a name of at most ${maxPoolNameLength} characters` }];
}

/** A pool that exists has a name and settings of its own. */
function checkAdopted(source: Source, policy: Policy, { spec }: WrittenPolicy): readonly PolicyProblem[] {
  const { adopt: _adopt, poolName, ...settings } = spec.target;
  if (poolName === undefined)
    return [problemAt(source, 'poolName', 'this field is required with adopt', 'the name of a pool that exists')];
  if (isInPlace(policy)) {
    const message = `'${poolName}' is the name of the pool to replace`;
    return [{ ...atName(source, message), allowed: 'the name of another pool that exists' }];
  }
  return Object.entries(settings).flatMap(([field, value]) => {
    if (value === undefined) return [];
    return [problemAt(source, field, 'a pool that is adopted stays as it is', 'no settings with adopt: true')];
  });
}

/** A problem with a field of the target, at its key. */
function problemAt(source: Source, field: string, message: string, allowed: string): PolicyProblem {
  const path = ['spec', 'target', field];
  return { ...placeAt(source, keyOffset(source, path), fieldName(path), message), allowed };
}

/** A problem with the name of the new pool, at the place where it is written or where it comes from. */
function atName(source: Source, message: string): PolicyProblem {
  const path = ['spec', 'target', 'poolName'];
  const named = nodeAt(source, path);
  const place = named === undefined ? keyOffset(source, ['spec', 'pool', 'name']) : startOf(named);
  return placeAt(source, place, fieldName(path), message);
}
