import type { LabelSelectorFacts } from '../../core/model/label-selector.ts';
import type { NetworkPolicyFacts, PodSelectorFacts } from '../../core/model/network-policy.ts';

/** A NetworkPolicy as sent by the API server; the client library's own type renames `from`. */
export interface NetworkPolicyObject {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly spec?: {
    readonly podSelector?: LabelSelectorFacts;
    readonly ingress?: readonly { readonly from?: readonly Peer[] }[];
    readonly egress?: readonly { readonly to?: readonly Peer[] }[];
  };
}

interface Peer {
  readonly podSelector?: LabelSelectorFacts;
  readonly namespaceSelector?: LabelSelectorFacts;
}

/** A policy of Cilium (cilium.io/v2), as far as it selects pods. */
export interface CiliumPolicy {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly spec?: CiliumRule;
  readonly specs?: readonly CiliumRule[];
}

interface CiliumRule {
  readonly endpointSelector?: LabelSelectorFacts;
  readonly ingress?: readonly { readonly fromEndpoints?: readonly LabelSelectorFacts[] }[];
  readonly ingressDeny?: readonly { readonly fromEndpoints?: readonly LabelSelectorFacts[] }[];
  readonly egress?: readonly { readonly toEndpoints?: readonly LabelSelectorFacts[] }[];
  readonly egressDeny?: readonly { readonly toEndpoints?: readonly LabelSelectorFacts[] }[];
}

/** The pod selectors of a NetworkPolicy. */
export function networkPolicyFacts({ metadata, spec }: NetworkPolicyObject): NetworkPolicyFacts {
  const { name = '', namespace = '' } = metadata ?? {};
  const peers = [
    ...(spec?.ingress ?? []).flatMap(({ from = [] }) => from),
    ...(spec?.egress ?? []).flatMap(({ to = [] }) => to),
  ];
  return {
    key: `NetworkPolicy ${namespace}/${name}`,
    selectors: [
      ...(spec?.podSelector === undefined ? [] : [{ namespace, labels: spec.podSelector }]),
      ...peers.flatMap(({ podSelector, namespaceSelector }) => {
        if (podSelector === undefined) return [];
        return [namespaceSelector === undefined ? { namespace, labels: podSelector } : { labels: podSelector }];
      }),
    ],
  };
}

/** The pod selectors of a Cilium policy. */
export function ciliumPolicyFacts({ kind, metadata, spec, specs = [] }: CiliumPolicy): NetworkPolicyFacts {
  const { name = '', namespace } = metadata ?? {};
  const rules = [...(spec === undefined ? [] : [spec]), ...specs];
  return {
    key: `${kind ?? 'CiliumNetworkPolicy'} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    selectors: rules.flatMap(selectorsOf).map((selector) => inNamespace(selector, namespace)),
  };
}

function selectorsOf(rule: CiliumRule): readonly LabelSelectorFacts[] {
  return [
    ...(rule.endpointSelector === undefined ? [] : [rule.endpointSelector]),
    ...[...(rule.ingress ?? []), ...(rule.ingressDeny ?? [])].flatMap(({ fromEndpoints = [] }) => fromEndpoints),
    ...[...(rule.egress ?? []), ...(rule.egressDeny ?? [])].flatMap(({ toEndpoints = [] }) => toEndpoints),
  ];
}

/** Cilium represents the namespace as a label, and the source of a label before a colon (its documentation, "Endpoints Based"). */
const namespaceKeys: readonly string[] = ['io.kubernetes.pod.namespace', 'io.cilium.k8s.namespace.labels'];

function inNamespace({ matchLabels = {}, matchExpressions = [] }: LabelSelectorFacts, own: string | undefined) {
  const labels = Object.entries(matchLabels).map(([key, value]) => [withoutSource(key), value] as const);
  const expressions = matchExpressions.map((one) => ({ ...one, key: withoutSource(one.key) }));
  const isOfNamespace = (key: string) => namespaceKeys.some((one) => key === one || key.startsWith(`${one}.`));
  const namesOther = [...labels.map(([key]) => key), ...expressions.map(({ key }) => key)].some(isOfNamespace);
  return {
    ...(own === undefined || namesOther ? {} : { namespace: own }),
    labels: {
      matchLabels: Object.fromEntries(labels.filter(([key]) => !isOfNamespace(key))),
      matchExpressions: expressions.filter(({ key }) => !isOfNamespace(key)),
    },
  } satisfies PodSelectorFacts;
}

function withoutSource(key: string): string {
  return key.replace(/^(k8s|any):/, '');
}
