import type { ServiceFacts } from '../core/model/service.ts';
import type { TargetGroupFacts } from '../core/model/target-group.ts';

/** Load balancers of one cloud. Read only: nodes leave through their controllers, never behind their back. Throws NodeferryError. */
export interface LoadBalancers {
  /** Target groups behind the Services' load balancers, with live attributes and target states. */
  discover(services: readonly ServiceFacts[]): Promise<readonly TargetGroupFacts[]>;
  /** Fresh target states: one call per target group, within a rate budget shared by the whole process. */
  refresh(groups: readonly TargetGroupFacts[]): Promise<readonly TargetGroupFacts[]>;
}
