import { excludeLabel } from '../../model/labels.ts';
import type { AuditRule } from './rule.ts';

/** SVC-018: a pool whose nodes are born with the label that excludes them from load balancers. The new pool copies it, or has it already. */
export const svc018PoolExcluded: AuditRule = ({ pool, newPool, services }) => {
  const value = (newPool ?? pool).labels[excludeLabel];
  if (value === undefined || services.length === 0) return [];
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
