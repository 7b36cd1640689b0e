import type { PoolCapability } from '../../model/pool.ts';
import { isInPlace } from '../../policy/members.ts';
import type { Policy } from '../../policy/policy.ts';
import { listNames } from '../../text/format.ts';
import { findUnjoined } from '../../waits/unjoined.ts';
import type { AuditRule } from './rule.ts';

/** INF-020: a pool that its provider can't replace as the policy says, or in which old instances could not be told from new ones. */
export const inf020InPlace: AuditRule = ({ policy, pool, nodes, lacks }) => {
  const finding = { rule: 'INF-020', severity: 'blocker', subject: `pool ${pool.ref.name}` } as const;
  const lack = neededFor(policy)
    .map((name) => lacks[name])
    .find((found) => found !== undefined);
  if (lack !== undefined) return [{ ...finding, ...lack }];
  if (!isInPlace(policy)) return [];
  const unjoined = findUnjoined(pool, nodes);
  if (unjoined.length === 0) return [];
  return [
    {
      ...finding,
      message: `${listNames(unjoined)} of it would join later and be taken for new`,
      hint: 'Wait until all instances of the pool are nodes of the cluster, or terminate those that do not join; then plan again.',
    },
  ];
};

/** What a provider has to be able to do for this policy. Without sizes a run could neither be aborted nor rolled back. */
function neededFor(policy: Policy): readonly PoolCapability[] {
  if (policy.selection !== undefined) return [];
  return [isInPlace(policy) ? 'inPlace' : 'replacement', 'size'];
}
