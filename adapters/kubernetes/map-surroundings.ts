import type {
  V1APIService,
  V1MutatingWebhook,
  V1MutatingWebhookConfiguration,
  V1PersistentVolume,
  V1RuleWithOperations,
  V1ValidatingWebhookConfiguration,
} from '@kubernetes/client-node';

import type {
  ApiServiceFacts,
  LocalVolumeFacts,
  ManagedNodesFacts,
  ResizerFacts,
  WebhookFacts,
} from '../../core/model/surroundings.ts';
import { requiredLabelsOf } from './map-node-labels.ts';
import { workloadKey } from './map-workload.ts';

/** Labels that have a different value on each node: Kubernetes' own, and those that drivers of local volumes use (`topology.topolvm.io/node`). */
const nodeLabel = /^kubernetes\.io\/hostname$|\/(node|node-?id|hostname)$/i;

/** Facts of a PersistentVolume that is bound to one node; undefined for any other. */
export function localVolumeFacts({ metadata, spec }: V1PersistentVolume): readonly LocalVolumeFacts[] {
  const { namespace, name } = spec?.claimRef ?? {};
  const required = requiredLabelsOf(spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []);
  const boundBy = Object.keys(required).find((label) => nodeLabel.test(label));
  if (boundBy === undefined || namespace === undefined || name === undefined) return [];
  return [{ volumeClaim: `${namespace}/${name}`, volume: metadata?.name ?? '', boundBy }];
}

/** The part of a VerticalPodAutoscaler (autoscaling.k8s.io/v1) that matters here. */
export interface VerticalPodAutoscaler {
  readonly metadata?: { readonly namespace?: string; readonly name?: string };
  readonly spec?: {
    readonly targetRef?: { readonly kind?: string; readonly name?: string };
    readonly updatePolicy?: { readonly updateMode?: string };
  };
}

/** Facts of a VerticalPodAutoscaler; undefined for one that only recommends (mode Off) or is for other kinds of workloads. */
export function resizerFacts({ metadata, spec }: VerticalPodAutoscaler): readonly ResizerFacts[] {
  const { namespace = '', name = '' } = metadata ?? {};
  const { kind, name: target = '' } = spec?.targetRef ?? {};
  if (spec?.updatePolicy?.updateMode === 'Off') return [];
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return [];
  return [{ key: `VerticalPodAutoscaler ${namespace}/${name}`, workload: workloadKey(kind, namespace, target) }];
}

/** Facts of a part of the API; undefined for one that the API server itself serves (apiregistration.k8s.io/v1, APIServiceSpec.service). */
export function apiServiceFacts({ metadata, spec }: V1APIService): readonly ApiServiceFacts[] {
  const { namespace, name } = spec?.service ?? {};
  if (namespace === undefined || name === undefined) return [];
  return [{ key: `APIService ${metadata?.name ?? ''}`, service: `${namespace}/${name}` }];
}

/** The part of a NodePool (karpenter.sh/v1) that matters here. */
export interface KarpenterNodePool {
  readonly metadata?: { readonly name?: string };
  readonly spec?: {
    readonly disruption?: {
      readonly budgets?: readonly {
        readonly nodes?: string;
        readonly schedule?: string;
        readonly reasons?: unknown[];
      }[];
    };
  };
}

/** Label of the nodes of a NodePool (karpenter pkg/apis/v1/labels.go, NodePoolLabelKey). */
const nodePoolLabel = 'karpenter.sh/nodepool';

/** Facts of a NodePool. A budget of 0 nodes forbids disruptions of its reasons while its schedule is active: always and all, without either. */
export function nodePoolFacts({ metadata, spec }: KarpenterNodePool): ManagedNodesFacts {
  const frozen = (spec?.disruption?.budgets ?? []).some(
    ({ nodes, schedule, reasons = [] }) => /^0%?$/.test(nodes ?? '') && schedule === undefined && reasons.length === 0,
  );
  return { name: metadata?.name ?? '', label: nodePoolLabel, frozen };
}

/**
 * Webhooks of a configuration that are called for new pods through a Service of the cluster. They fail closed unless the configuration says otherwise
 * (Kubernetes API, ValidatingWebhook, failurePolicy).
 */
export function webhookFacts(
  kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration',
  { metadata, webhooks = [] }: V1ValidatingWebhookConfiguration | V1MutatingWebhookConfiguration,
): readonly WebhookFacts[] {
  return webhooks.flatMap(({ name, clientConfig: { service }, failurePolicy, rules = [] }: V1MutatingWebhook) => {
    if (service === undefined || !rules.some(isAboutNewPods)) return [];
    const key = `${kind} ${metadata?.name ?? ''}, webhook ${name}`;
    const failsOpen = failurePolicy === 'Ignore' ? ({ failsOpen: true } as const) : {};
    return [{ key, service: `${service.namespace}/${service.name}`, ...failsOpen }];
  });
}

function isAboutNewPods({ apiGroups = [], resources = [], operations = [] }: V1RuleWithOperations): boolean {
  const names = (list: readonly string[], ...any: readonly string[]) => any.some((one) => list.includes(one));
  return (
    names(apiGroups, '', '*') && names(resources, 'pods', '*', '*/*', 'pods/*') && names(operations, 'CREATE', '*')
  );
}
