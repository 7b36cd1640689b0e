import { indexOf } from '../model/cluster-index.ts';
import { podsOf } from '../model/endpoints.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { workloadOf } from './objects.ts';
import { type AuditedObject, formatObject } from './rule.ts';

/** Kinds that a Service depends on as a whole, wherever they are. */
const common = ['Node', 'Resource', 'MutatingWebhookConfiguration'];

/** Family of the rules about what every Service depends on: autoscalers, controllers, webhooks, DNS. */
const ofEverything = 'INF-';

/** A finding, as far as it matters to whom it belongs. */
interface Placed {
  readonly rule: string;
  readonly object: AuditedObject;
}

/**
 * Whether a finding has to do with a Service: it is about the Service itself, its pods and their workloads, the budgets of these pods, or something that
 * every Service depends on.
 */
export function belongsTo(service: ServiceFacts, cluster: ClusterFacts): (finding: Placed) => boolean {
  const index = indexOf(cluster);
  const pods = podsOf(service, cluster);
  const budgets = pods.flatMap(({ uid }) => index.budgetsOf(uid));
  const own = new Set([
    `Service ${service.key}`,
    ...pods.flatMap((pod) => [formatObject(workloadOf(pod)), `Pod ${pod.namespace}/${pod.name}`]),
    ...budgets.map(({ namespace, name }) => `PodDisruptionBudget ${namespace}/${name}`),
  ]);
  const hasBarePod = pods.some(({ ownerKind }) => ownerKind === 'none');
  return ({ rule, object }) => {
    if (rule.startsWith(ofEverything) || common.includes(object.kind)) return true;
    const { names, isComplete } = namesIn(object);
    if (names.some((name) => own.has(formatObject({ ...object, name })))) return true;
    // Those that a list leaves out may be pods of the Service.
    return !isComplete && hasBarePod && service.key.startsWith(`${object.namespace}/`);
  };
}

/** Pods without a controller are one object, with the first of their names: `a, b, c and 2 more`. */
function namesIn({ kind, name }: AuditedObject): { readonly names: readonly string[]; readonly isComplete: boolean } {
  if (kind !== 'Pod') return { names: [name], isComplete: true };
  const listed = name.replace(/ and \d+ more$/, '');
  return { names: listed.split(', '), isComplete: listed === name };
}
