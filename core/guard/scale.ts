import { indexOf, namespaceOf, onceFor } from '../model/cluster-index.ts';
import { podsOf } from '../model/endpoints.ts';
import { indexByLabels } from '../model/label-index.ts';
import { isActive } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WorkloadFacts } from '../model/workload.ts';

const findWorkloads = onceFor((workloads: readonly WorkloadFacts[]) =>
  indexByLabels(workloads.map((workload) => ({ labels: workload.podLabels, workload }))),
);

/** Workloads whose pods the Service selects. */
export function workloadsOf(service: ServiceFacts, cluster: ClusterFacts): readonly WorkloadFacts[] {
  const found = findWorkloads(indexOf(cluster).workloadsIn(namespaceOf(service.key)))(service.selector);
  return found.map(({ workload }) => workload);
}

/**
 * How many pods should be behind a Service now: what its workloads are scaled to, plus the pods that no known workload owns. Released pods are
 * not counted, because their replacements are. For a Service without a selector, the number of endpoints that somebody wrote. Undefined when no
 * workload and no pod matches its selector.
 */
export function scaleOf(service: ServiceFacts, cluster: ClusterFacts): number | undefined {
  const known = scales.get(cluster) ?? new Map<ServiceFacts, number | undefined>();
  scales.set(cluster, known);
  if (!known.has(service)) known.set(service, countScale(service, cluster));
  return known.get(service);
}

const scales = new WeakMap<ClusterFacts, Map<ServiceFacts, number | undefined>>();

function countScale(service: ServiceFacts, cluster: ClusterFacts): number | undefined {
  if (Object.keys(service.selector).length === 0) return service.endpoints.length;
  const workloads = workloadsOf(service, cluster);
  const known = new Set(workloads.map(({ key }) => key));
  const others = podsOf(service, cluster).filter(
    (pod) => isActive(pod) && !known.has(pod.released?.workload ?? pod.workload ?? ''),
  );
  if (workloads.length === 0 && others.length === 0) return undefined;
  return workloads.reduce((sum, { replicas }) => sum + replicas, others.length);
}
