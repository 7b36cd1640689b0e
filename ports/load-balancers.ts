import type { ServiceFacts } from '../core/model/service.ts';
import type { TargetGroupBase, TargetGroupFacts } from '../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../core/model/unsupported-service.ts';

/** What stands behind Services of type LoadBalancer. */
export interface Discovery {
  /** Target groups whose targets are nodes. */
  readonly groups: readonly TargetGroupBase[];
  /** Services whose load balancer can't be watched, at most one entry each; what is seen of them is among the groups. */
  readonly unsupported: readonly UnsupportedServiceFacts[];
}

/** How thoroughly load balancers are discovered. */
export interface DiscoveryOptions {
  /** Services of which no more is asked than whether they could be watched: a few calls, however many they are. */
  readonly beside?: readonly ServiceFacts[];
  /** Nothing may be known from before: what an operator has just changed is seen. Otherwise attributes may be minutes old. */
  readonly anew?: boolean;
}

/** How fresh target states must be, and who waits for them. Without options each is read after the call. */
export interface ReadOptions {
  /**
   * States that were read since then (epoch ms) will do, and so will those that are no older than a fresh look at all these groups would
   * be at its end. Enough to choose by, not to act on.
   */
  readonly since?: number;
  /** These reads go before those of everybody else: a lock is held meanwhile. */
  readonly first?: boolean;
}

/** Load balancers of one cloud. Read only: nodes leave through their controllers, never behind their back. Throws NodeferryError. */
export interface LoadBalancers {
  /** Finds what stands behind the Services' addresses: many calls. A Service that can't be protected is an answer, not an error. */
  discover(services: readonly ServiceFacts[], options?: DiscoveryOptions): Promise<Discovery>;
  /** The groups with their target states: one call per target group, within a rate budget shared by the whole process. */
  readTargets(groups: readonly TargetGroupBase[], options?: ReadOptions): Promise<readonly TargetGroupFacts[]>;
}
