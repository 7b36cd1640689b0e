import type { FilterContext } from '../../eviction/filters/filter.ts';
import type { ServiceBaseline } from '../../guard/baseline.ts';
import { balancedServices } from '../../guard/serving.ts';
import { indexOf, onceFor } from '../../model/cluster-index.ts';
import type { NodeRef } from '../../model/node.ts';
import { isActive, type PodFacts } from '../../model/pod.ts';
import type { Lacks, PoolFacts } from '../../model/pool.ts';
import { hostGroupsOf, reachOf } from '../../model/reach.ts';
import type { ServiceFacts } from '../../model/service.ts';
import type { ServingFacts } from '../../model/serving.ts';
import type { TargetGroupFacts } from '../../model/target-group.ts';
import type { Policy } from '../../policy/policy.ts';
import type { ZonedSize } from '../../surge/zoned-size.ts';
import type { Finding } from '../finding.ts';
import type { WorkloadSurge } from '../pod-surge-plan.ts';
import type { ServicePlan } from '../pool-plan.ts';
import type { Batches } from '../simulate-batches.ts';

/** Everything that audit rules decide from. */
export interface AuditQuestion {
  readonly policy: Policy;
  readonly pool: PoolFacts;
  /** The pool that exists already under the name of the new one. Undefined when there is none. */
  readonly newPool: PoolFacts | undefined;
  /** What the provider of the pool can't do. */
  readonly lacks: Lacks;
  /** How many new nodes the zones get. Undefined where the zones of the old nodes are even. */
  readonly newZones: ZonedSize | undefined;
  readonly facts: ServingFacts;
  readonly services: readonly ServicePlan[];
  readonly baselines: readonly ServiceBaseline[];
  /** Nodes to replace. */
  readonly nodes: readonly NodeRef[];
  /** How they could leave in the best case. */
  readonly batches: Batches;
  /** What happens to their pods, if any are surged. */
  readonly podSurge: readonly WorkloadSurge[];
  /** The observation as it will be once they have been surged; the same as `facts` when none are. */
  readonly surged: ServingFacts;
}

/** One rule: facts in, findings out. */
export type AuditRule = (question: AuditQuestion) => readonly Finding[];

/** What can be asked of a cluster of which no pool is about to be replaced. */
export interface ClusterQuestion
  extends Pick<AuditQuestion, 'policy' | 'facts' | 'services' | 'baselines' | 'nodes' | 'podSurge' | 'surged'> {
  /** Also ask about Services of type LoadBalancer of which no target group was observed. A plan leaves them to rules of their own. */
  readonly includesUnobserved?: boolean;
}

/** A rule that needs nothing else. The plan applies it to the pool that is replaced, `nodeferry audit` to the whole cluster. */
export type ClusterRule = (question: ClusterQuestion) => readonly Finding[];

/** A planned Service with its facts and its target groups. */
export interface AuditedService {
  readonly plan: ServicePlan;
  readonly service: ServiceFacts;
  readonly groups: readonly TargetGroupFacts[];
}

/** The planned Services that a load balancer carries. */
export function auditedServices({
  facts,
  services,
  includesUnobserved = false,
}: ClusterQuestion): readonly AuditedService[] {
  const balanced = balancedServices(facts);
  const findUnobserved = (key: string) => {
    const service = indexOf(facts.cluster).service(key);
    return service?.type === 'LoadBalancer' ? { service, groups: [] } : undefined;
  };
  return services.flatMap((plan) => {
    const found = balanced.get(plan.service) ?? (includesUnobserved ? findUnobserved(plan.service) : undefined);
    return found === undefined ? [] : [{ plan, ...found }];
  });
}

/**
 * The planned Services whose load balancers send to a node for the pods that it hosts itself (policy Local), with those of their groups that have
 * nodes. Where pods are targets, kube-proxy is asked for nothing, and the policy means nothing.
 */
export function hostServices(question: ClusterQuestion): readonly AuditedService[] {
  return auditedServices(question)
    .filter(({ service, groups }) => reachOf(service, groups) === 'host')
    .map((one) => ({ ...one, groups: hostGroupsOf(one.service, one.groups) }));
}

/** The load-balanced Services that lose endpoints when the nodes to replace leave. The configuration of other Services does not matter. */
export function servicesOnPool(question: ClusterQuestion): readonly AuditedService[] {
  const names = new Set(question.nodes.map((node) => node.name));
  return auditedServices(question).filter(({ service }) =>
    service.endpoints.some((endpoint) => endpoint.node !== undefined && names.has(endpoint.node)),
  );
}

/** The load balancer gives the connections of a node that is deregistered no time to end, as far as is known. */
export function drainsNothing({ deregistrationDelayMs, terminatesConnectionsAfterDelay }: TargetGroupFacts): boolean {
  return deregistrationDelayMs === 0 && terminatesConnectionsAfterDelay !== false;
}

/** The same question, about the observation as it will be once everything that can be surged has been. */
export function afterPodSurge(question: ClusterQuestion): ClusterQuestion {
  return { ...question, facts: question.surged };
}

/** What drain rules know besides the pods. */
export function filterContext({ policy, facts }: ClusterQuestion): FilterContext {
  return { drain: policy.drain, now: facts.observedAt };
}

/** Pods on the nodes to replace, except terminating and finished ones. */
export const podsToMove = onceFor(({ facts, nodes }: ClusterQuestion): readonly PodFacts[] => {
  const names = new Set(nodes.map((node) => node.name));
  return facts.cluster.pods.filter((pod) => pod.node !== undefined && names.has(pod.node) && isActive(pod));
});
