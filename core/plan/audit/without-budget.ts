import { isNodeBound } from '../../eviction/node-bound.ts';
import { budgetsOf } from '../../guard/min-serving.ts';
import { indexOf, onceFor } from '../../model/cluster-index.ts';
import { podsOf } from '../../model/endpoints.ts';
import { isFinished, type PodFacts } from '../../model/pod.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import { compareText } from '../../text/format.ts';
import { type AuditedService, auditedServices, type ClusterQuestion } from './rule.ts';

/** A load-balanced Service of whose endpoints none has a budget. */
interface WithoutBudget extends AuditedService {
  /** The pods that it selects, and that a budget for it would cover. */
  readonly pods: readonly PodFacts[];
  /** Key of a Service without a budget that sends to some of the same pods: a budget for that one covers them. Undefined where it is this one. */
  readonly coveredWith: string | undefined;
}

/**
 * The load-balanced Services without a budget that have pods to evict. A pod of two budgets cannot be evicted at all (kubernetes
 * pkg/registry/core/pod/storage/eviction.go), so of the Services that share pods only the first one gets a budget.
 */
export const servicesWithoutBudget = onceFor((question: ClusterQuestion): readonly WithoutBudget[] => {
  const { cluster } = question.facts;
  const bare = auditedServices(question)
    .filter(({ service }) => service.endpoints.length > 0 && budgetsOf(service, cluster).length === 0)
    .map((one) => ({ ...one, pods: podsOf(one.service, cluster).filter((pod) => !isFinished(pod)) }))
    .filter(({ pods }) => pods.length === 0 || !pods.every(isNodeBound));
  const first = new Map<string, string>();
  for (const { service, pods } of bare.toSorted((a, b) => compareText(a.service.key, b.service.key)))
    for (const { uid } of pods) first.set(uid, first.get(uid) ?? service.key);
  return bare.map((one) => ({
    ...one,
    coveredWith: one.pods.map(({ uid }) => first.get(uid)).find((key) => key !== one.service.key),
  }));
});

/**
 * Whether a budget with `maxUnavailable` can count on these pods: they have none yet, and their controllers have a scale, which DaemonSets lack. It
 * would let no pod leave otherwise (kubernetes pkg/controller/disruption/disruption.go, finders and failSafe).
 */
export function canShareBudget(pods: readonly PodFacts[], cluster: ClusterFacts): boolean {
  return pods.every(({ uid, ownerKind }) => scaled.includes(ownerKind) && indexOf(cluster).budgetsOf(uid).length === 0);
}

const scaled: readonly PodFacts['ownerKind'][] = ['ReplicaSet', 'StatefulSet'];
