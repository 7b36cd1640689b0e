import { excludeLabel } from '../../model/labels.ts';
import { hasPods } from '../../model/target-group.ts';
import type { AuditRule } from './rule.ts';

/**
 * SVC-018: a pool whose nodes are born with the label that excludes them from load balancers. The new pool copies it, or has it already. It makes no
 * difference where all targets are pods.
 */
export const svc018PoolExcluded: AuditRule = ({ pool, newPool, services, facts: { targetGroups } }) => {
  const value = (newPool ?? pool).labels[excludeLabel];
  const ofPods = targetGroups.length > 0 && targetGroups.every(hasPods);
  if (value === undefined || services.length === 0 || ofPods) return [];
  const name = (newPool ?? pool).ref.name;
  return [
    {
      rule: 'SVC-018',
      severity: 'blocker',
      subject: `pool ${name}`,
      message: `its nodes get label ${excludeLabel}=${value} from the pool: load balancers do not take nodes with it, some not even where its value is false`,
      hint: 'Remove the label from the settings of the pool; then plan again.',
    },
  ];
};
