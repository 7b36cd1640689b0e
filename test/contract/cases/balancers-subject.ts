import type { ServiceFacts } from '../../../core/model/service.ts';
import type { TargetFacts, TargetGroupBase } from '../../../core/model/target-group.ts';
import { nameOfTarget } from '../../../core/model/target-group.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';

/** A Service behind a load balancer whose targets are four nodes, all healthy, and what happens to it. */
export interface BalancersSubject {
  readonly loadBalancers: LoadBalancers;
  /** Policy Local, with a health check node port. */
  readonly web: ServiceFacts;
  /** Ids of the nodes’ instances, of zone a before those of zone b. */
  readonly nodes: readonly string[];
  readonly cloud: BalancerActs;
  close(): Promise<void>;
}

/** What controllers, the load balancer and people do. */
export interface BalancerActs {
  /** Time passes in which everything that was begun comes to its end. */
  settle(): void;
  deregister(instanceId: string): Promise<void>;
  register(instanceId: string): Promise<void>;
  /** The node fails the load balancer’s checks, until it is found unhealthy. */
  failChecks(instanceId: string): Promise<void>;
  /** Its owner changes a setting of it. */
  change(): Promise<void>;
  /** The load balancer loses what tells whose it is. */
  removeTags(): Promise<void>;
  /** It gets a second way, to something that has no nodes as targets. */
  addPodTargets(): Promise<void>;
  deleteTargetGroup(): Promise<void>;
}

/** Opens a subject of its own for one case. */
export type OpenBalancers = () => Promise<BalancersSubject>;

/** The only target group behind the Service. */
export async function onlyGroup({ loadBalancers, web }: BalancersSubject): Promise<TargetGroupBase> {
  const { groups } = await loadBalancers.discover([web]);
  const [group] = groups;
  if (group === undefined || groups.length > 1) throw new Error(`found ${groups.length} target groups`);
  return group;
}

/** The target of an instance as the group has it now; undefined when it has none. */
export async function targetIn(
  { loadBalancers }: BalancersSubject,
  group: TargetGroupBase,
  instanceId: string,
): Promise<TargetFacts | undefined> {
  const [read] = await loadBalancers.readTargets([group]);
  return read?.targets.find((target) => nameOfTarget(target) === instanceId);
}
