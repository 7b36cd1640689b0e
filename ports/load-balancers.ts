import type { ServiceFacts } from '../core/model/service.ts';
import type { TargetGroupFacts } from '../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../core/model/unsupported-service.ts';

/** What stands behind Services of type LoadBalancer. */
export interface Discovery {
  /** Target groups whose targets are nodes, with live attributes and target states. */
  readonly groups: readonly TargetGroupFacts[];
  /** Services whose load balancer can't be watched, at most one entry each; what is seen of them is among the groups. */
  readonly unsupported: readonly UnsupportedServiceFacts[];
}

/** Load balancers of one cloud. Read only: nodes leave through their controllers, never behind their back. Throws NodeferryError. */
export interface LoadBalancers {
  /** Finds what stands behind the Services' addresses. A Service that can't be protected is an answer, not an error. */
  discover(services: readonly ServiceFacts[]): Promise<Discovery>;
  /** Fresh target states: one call per target group, within a rate budget shared by the whole process. */
  refresh(groups: readonly TargetGroupFacts[]): Promise<readonly TargetGroupFacts[]>;
}
