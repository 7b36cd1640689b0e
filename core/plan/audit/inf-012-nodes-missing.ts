import { isInPlace } from '../../policy/members.ts';
import type { AuditRule } from './rule.ts';

/** INF-012: the pool's instances and its nodes in the cluster are not the same. */
export const inf012NodesMissing: AuditRule = ({ pool, nodes, policy }) => {
  const { selection } = policy;
  if (nodes.length === 0) {
    return [
      {
        rule: 'INF-012',
        severity: 'blocker',
        subject: `pool ${pool.ref.name}`,
        ...(selection === undefined
          ? {
              message: 'no node of it is in the cluster: there is nothing to replace',
              hint: 'Check the names of cluster and pool in the policy.',
            }
          : {
              message: 'none of the nodes to drain is in the cluster',
              hint: 'They are gone already, or the worker is connected to another cluster.',
            }),
      },
    ];
  }
  const uids = new Set(nodes.map(({ uid }) => uid));
  const gone = selection?.nodes.filter(({ uid }) => !uids.has(uid)) ?? [];
  if (selection !== undefined) {
    return gone.map(({ name }) => ({
      rule: 'INF-012',
      severity: 'warning',
      subject: `node ${name}`,
      message: 'it is no longer in the cluster, so there is nothing to drain',
      hint: 'Nothing to do if somebody else has removed it.',
    }));
  }
  if (isInPlace(policy)) return [];
  const known = new Set(nodes.map((node) => node.instanceId));
  const unjoined = pool.instances.filter(
    ({ state, instanceId }) => (state === 'running' || state === 'stopped') && !known.has(instanceId),
  );
  return unjoined.map((instance) => ({
    rule: 'INF-012',
    severity: 'warning',
    subject: `instance ${instance.instanceId}`,
    message: `it ${instance.state === 'stopped' ? 'is stopped' : 'runs'} in the pool but is not a node of the cluster; it ends when the pool is deleted`,
    hint: 'Find out why it has not joined the cluster.',
  }));
};
