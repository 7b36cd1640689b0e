import type { ServiceFacts } from '../core/model/service.ts';
import type { TargetGroupBase, TargetGroupFacts } from '../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../core/model/unsupported-service.ts';

/** What is behind Services of type LoadBalancer, and behind others whose pods are targets, or to which an Ingress sends through nodes. */
export interface Discovery {
  /** Target groups whose targets are nodes, and those whose targets are pods (membership `pods`). */
  readonly groups: readonly TargetGroupBase[];
  /** Services whose load balancer can't be watched, at most one entry each. What can be observed of them is among the groups. */
  readonly unsupported: readonly UnsupportedServiceFacts[];
}

/** How thoroughly load balancers are discovered. */
interface DiscoveryOptions {
  /** Services of which only one thing is asked: whether they could be watched. That takes a few calls, however many they are. */
  readonly beside?: readonly ServiceFacts[];
  /** Uses nothing from earlier reads, so that an operator's latest changes are seen. Otherwise attributes may be minutes old. */
  readonly anew?: boolean;
  /** Provider IDs of the nodes of the cluster: they say in which cloud it is, so that no other one is asked. Without them, any may be. */
  readonly providerIds?: readonly string[];
}

/** How fresh target states must be, and the priority of the reads. Without options, each is read after the call. */
export interface ReadOptions {
  /**
   * States that were read since then (epoch ms) are fresh enough. So are those that are no older than a fresh read of all these groups would be when
   * it ends. That is enough for choosing, not for acting.
   */
  readonly since?: number;
  /** These reads go before all others, because a lock is held meanwhile. */
  readonly first?: boolean;
}

/** The load balancers that a cluster can have. Read only: nodes are deregistered by the controllers, never behind their back. Throws NodeferryError. */
export interface LoadBalancers {
  /** Finds what is behind the addresses of the Services, with many calls. A Service that can't be protected is a result, not an error. */
  discover(services: readonly ServiceFacts[], options?: DiscoveryOptions): Promise<Discovery>;
  /** The groups with their target states: one call per target group, within a rate limit shared by the whole process. */
  readTargets(groups: readonly TargetGroupBase[], options?: ReadOptions): Promise<readonly TargetGroupFacts[]>;
}

/** The load balancers of one cloud, beside those of others. It is asked about clusters of that cloud, for the Services that it claims. */
export interface LoadBalancerFamily extends LoadBalancers {
  /** What the cloud is called in messages. */
  readonly title: string;
  /** Kinds of its target groups. No other family has one of them. */
  readonly kinds: readonly string[];
  /** Whether a node with this provider ID is in its cloud. Asks nobody. */
  readonly hasNode: (providerId: string) => boolean;
  /** Whether a load balancer of its cloud may be behind the Service, by the form of its addresses and of the names of its groups of pods. Asks nobody. */
  readonly claims: (service: Pick<ServiceFacts, 'hostnames' | 'podGroups'>) => boolean;
}
