import type { FilterContext } from '../../eviction/rules/rule.ts';
import type { ServiceBaseline } from '../../guard/baseline.ts';
import { balancedServices } from '../../guard/serving.ts';
import { onceFor } from '../../model/cluster-index.ts';
import type { NodeRef } from '../../model/node.ts';
import { isFinished, type PodFacts } from '../../model/pod.ts';
import type { PoolFacts } from '../../model/pool.ts';
import type { ServiceFacts } from '../../model/service.ts';
import type { ServingFacts } from '../../model/serving.ts';
import type { TargetGroupFacts } from '../../model/target-group.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Finding } from '../finding.ts';
import type { WorkloadSurge } from '../pod-surge-plan.ts';
import type { ServicePlan } from '../pool-plan.ts';
import type { Batches } from '../simulate-batches.ts';

/** Everything that audit rules look at. */
export interface AuditQuestion {
  readonly policy: Policy;
  readonly pool: PoolFacts;
  /** Somebody has a pool of the new one's name already. */
  readonly newPoolExists: boolean;
  readonly facts: ServingFacts;
  readonly services: readonly ServicePlan[];
  readonly baselines: readonly ServiceBaseline[];
  /** Nodes to replace. */
  readonly nodes: readonly NodeRef[];
  /** How they could leave at best. */
  readonly batches: Batches;
  /** What becomes of their pods where some are handed over. */
  readonly podSurge: readonly WorkloadSurge[];
  /** The look as it will be once those have been; the same as `facts` where none is. */
  readonly surged: ServingFacts;
}

/** One rule: facts in, findings out. */
export type AuditRule = (question: AuditQuestion) => readonly Finding[];

/** A planned Service with its facts and its target groups. */
export interface AuditedService {
  readonly plan: ServicePlan;
  readonly service: ServiceFacts;
  readonly groups: readonly TargetGroupFacts[];
}

/** The planned Services that a load balancer carries. */
export function auditedServices({ facts, services }: AuditQuestion): readonly AuditedService[] {
  const balanced = balancedServices(facts);
  return services.flatMap((plan) => {
    const found = balanced.get(plan.service);
    return found === undefined ? [] : [{ plan, ...found }];
  });
}

/** The balanced Services that lose endpoints when the nodes to replace go; others may be as their owners like them. */
export function servicesOnPool(question: AuditQuestion): readonly AuditedService[] {
  const names = new Set(question.nodes.map((node) => node.name));
  return auditedServices(question).filter(({ service }) =>
    service.endpoints.some((endpoint) => endpoint.node !== undefined && names.has(endpoint.node)),
  );
}

/** The same question, asked of the look as it will be once everything that can be handed over has been. */
export function afterPodSurge(question: AuditQuestion): AuditQuestion {
  return { ...question, facts: question.surged };
}

/** What drain rules know besides the pods. */
export function filterContext({ policy, facts }: AuditQuestion): FilterContext {
  return { drain: policy.drain, now: facts.observedAt };
}

/** Pods on the nodes to replace, terminating and finished ones left out. */
export const podsToMove = onceFor(({ facts, nodes }: AuditQuestion): readonly PodFacts[] => {
  const names = new Set(nodes.map((node) => node.name));
  return facts.cluster.pods.filter(
    (pod) => pod.node !== undefined && names.has(pod.node) && !pod.terminating && !isFinished(pod),
  );
});
