import { indexOf } from '../model/cluster-index.ts';
import { podsOf } from '../model/endpoints.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { workloadOf } from './objects.ts';
import { type AuditedObject, formatObject } from './rule.ts';

/** Kinds that a Service depends on as a whole, wherever they are. */
const common = ['Node', 'Resource', 'MutatingWebhookConfiguration'];

/** Whether an object has to do with a Service: the Service itself, its pods and their workloads, the budgets of these pods, and nodes. */
export function belongsTo(service: ServiceFacts, cluster: ClusterFacts): (object: AuditedObject) => boolean {
  const index = indexOf(cluster);
  const pods = podsOf(service, cluster);
  const budgets = pods.flatMap(({ uid }) => index.budgetsOf(uid));
  const own = new Set([
    `Service ${service.key}`,
    ...pods.flatMap((pod) => [formatObject(workloadOf(pod)), `Pod ${pod.namespace}/${pod.name}`]),
    ...budgets.map(({ namespace, name }) => `PodDisruptionBudget ${namespace}/${name}`),
  ]);
  return (object) => common.includes(object.kind) || own.has(formatObject(object));
}
