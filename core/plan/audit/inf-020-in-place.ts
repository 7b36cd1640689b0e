import { isInPlace } from '../../policy/members.ts';
import { listNames } from '../../text/format.ts';
import { findUnjoined } from '../../waits/unjoined.ts';
import type { AuditRule } from './rule.ts';

/** INF-020: a pool that can't be replaced under its own name, or in which old instances could not be told from new ones. */
export const inf020InPlace: AuditRule = ({ policy, pool, nodes, replacesInPlace }) => {
  if (!isInPlace(policy)) return [];
  const { name, provider } = pool.ref;
  const finding = { rule: 'INF-020', severity: 'blocker', subject: `pool ${name}` } as const;
  if (!replacesInPlace) {
    return [
      {
        ...finding,
        message: `provider ${provider} can't replace a pool under its own name`,
        hint: `Set spec.target.poolName to another name, such as ${name}-2: the run creates that pool.`,
      },
    ];
  }
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
