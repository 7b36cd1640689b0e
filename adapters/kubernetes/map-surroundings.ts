import type {
  V1MutatingWebhook,
  V1MutatingWebhookConfiguration,
  V1PersistentVolume,
  V1RuleWithOperations,
  V1ValidatingWebhookConfiguration,
} from '@kubernetes/client-node';

import type { LocalVolumeFacts, ResizerFacts, WebhookFacts } from '../../core/model/surroundings.ts';
import { requiredLabelsOf } from './map-node-labels.ts';
import { workloadKey } from './map-workload.ts';

/** Labels that have one value for each node: Kubernetes' own, and those by which drivers of local volumes name it (`topology.topolvm.io/node`). */
const nodeLabel = /^kubernetes\.io\/hostname$|\/(node|node-?id|hostname)$/i;

/** What is kept of a PersistentVolume: nothing, unless it is bound to one node. */
export function localVolumeFacts({ metadata, spec }: V1PersistentVolume): readonly LocalVolumeFacts[] {
  const { namespace, name } = spec?.claimRef ?? {};
  const required = requiredLabelsOf(spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []);
  const boundBy = Object.keys(required).find((label) => nodeLabel.test(label));
  if (boundBy === undefined || namespace === undefined || name === undefined) return [];
  return [{ volumeClaim: `${namespace}/${name}`, volume: metadata?.name ?? '', boundBy }];
}

/** A VerticalPodAutoscaler (autoscaling.k8s.io/v1), as far as it matters here. */
export interface VerticalPodAutoscaler {
  readonly metadata?: { readonly namespace?: string; readonly name?: string };
  readonly spec?: {
    readonly targetRef?: { readonly kind?: string; readonly name?: string };
    readonly updatePolicy?: { readonly updateMode?: string };
  };
}

/** What is kept of a VerticalPodAutoscaler: nothing, where it only recommends (mode Off), or of other kinds of workloads. */
export function resizerFacts({ metadata, spec }: VerticalPodAutoscaler): readonly ResizerFacts[] {
  const { namespace = '', name = '' } = metadata ?? {};
  const { kind, name: target = '' } = spec?.targetRef ?? {};
  if (spec?.updatePolicy?.updateMode === 'Off') return [];
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return [];
  return [{ key: `VerticalPodAutoscaler ${namespace}/${name}`, workload: workloadKey(kind, namespace, target) }];
}

/**
 * Webhooks of a configuration that are asked for new pods, by a Service of the cluster, and fail closed, which is the default of
 * admissionregistration.k8s.io/v1 (Kubernetes API, ValidatingWebhook, failurePolicy).
 */
export function webhookFacts(
  kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration',
  { metadata, webhooks = [] }: V1ValidatingWebhookConfiguration | V1MutatingWebhookConfiguration,
): readonly WebhookFacts[] {
  return webhooks.flatMap(({ name, clientConfig: { service }, failurePolicy, rules = [] }: V1MutatingWebhook) => {
    if (service === undefined || failurePolicy === 'Ignore' || !rules.some(isAboutNewPods)) return [];
    const key = `${kind} ${metadata?.name ?? ''}, webhook ${name}`;
    return [{ key, service: `${service.namespace}/${service.name}` }];
  });
}

function isAboutNewPods({ apiGroups = [], resources = [], operations = [] }: V1RuleWithOperations): boolean {
  const names = (list: readonly string[], ...any: readonly string[]) => any.some((one) => list.includes(one));
  return (
    names(apiGroups, '', '*') && names(resources, 'pods', '*', '*/*', 'pods/*') && names(operations, 'CREATE', '*')
  );
}
