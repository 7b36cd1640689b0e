import type { V1Pod, V1PodAffinityTerm } from '@kubernetes/client-node';
import { selectsLabels } from '../../core/model/label-selector.ts';
import { type BesideFacts, type PodFacts, type SpreadFacts, templateLabel } from '../../core/model/pod.ts';

/** Rules that keep pods of one kind apart, and rules that keep them near others. */
export function placementOf(pod: V1Pod): Pick<PodFacts, 'keepsApartBy' | 'prefersApartBy' | 'besides' | 'spreads'> {
  return { ...keepsApart(pod), ...besidesOf(pod), ...spreadOf(pod) };
}

/**
 * Without namespaces, a term applies to the pod's own namespace. An empty namespaceSelector means all, and any other one means any of them
 * (Kubernetes API, PodAffinityTerm).
 */
function besidesOf({ metadata, spec }: V1Pod): Pick<PodFacts, 'besides'> {
  const terms = spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const besides = terms.map(
    ({ labelSelector, namespaces = [], namespaceSelector, topologyKey }): BesideFacts => ({
      topologyKey,
      selector: labelSelector ?? {},
      ...(namespaceSelector === undefined
        ? { namespaces: namespaces.length === 0 ? [metadata?.namespace ?? ''] : namespaces }
        : {}),
    }),
  );
  return besides.length === 0 ? {} : { besides };
}

/** Labels of a pod while its ReplicaSet owns it, and after a run has released it. */
function ownLabels({ metadata }: V1Pod) {
  const { [templateLabel]: _template, ...released } = metadata?.labels ?? {};
  return { owned: metadata?.labels ?? {}, released };
}

/**
 * Anti-affinity against pods like itself, as its ReplicaSet owns them or after they have been released. Either is enough: the scheduler checks the
 * terms of the replacement against existing pods, and the terms of existing pods against the replacement, which has all labels
 * (kubernetes/kubernetes, pkg/scheduler/framework/plugins/interpodaffinity/filtering.go, "existing pods anti-affinity rules").
 */
function keepsApart(pod: V1Pod): Pick<PodFacts, 'keepsApartBy' | 'prefersApartBy'> {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required = [],
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = pod.spec?.affinity?.podAntiAffinity ?? {};
  const keeps = keysAgainstItself(required, pod);
  const prefers = keysAgainstItself(
    preferred.map(({ podAffinityTerm }) => podAffinityTerm),
    pod,
  );
  return {
    ...(keeps.length === 0 ? {} : { keepsApartBy: keeps }),
    ...(prefers.length === 0 ? {} : { prefersApartBy: prefers }),
  };
}

/** Topology keys of the terms that match pods like this one. */
function keysAgainstItself(terms: readonly V1PodAffinityTerm[], pod: V1Pod): readonly string[] {
  const { owned, released } = ownLabels(pod);
  const own = terms.filter(
    ({ labelSelector, namespaces = [], namespaceSelector }) =>
      (selectsLabels(labelSelector, owned) || selectsLabels(labelSelector, released)) &&
      (namespaceSelector !== undefined ||
        namespaces.length === 0 ||
        namespaces.includes(pod.metadata?.namespace ?? '')),
  );
  return [...new Set(own.map(({ topologyKey }) => topologyKey))];
}

/**
 * The constraints that spread a pod among pods like itself. `matchLabelKeys` are merged into the selector (by the scheduler, and by newer API servers
 * in the object itself). Taints are ignored unless `nodeTaintsPolicy` says otherwise (Kubernetes docs, "Pod Topology Spread Constraints").
 */
function spreadOf(pod: V1Pod): Pick<PodFacts, 'spreads'> {
  const { owned, released } = ownLabels(pod);
  const spreads = (pod.spec?.topologySpreadConstraints ?? []).flatMap((constraint): readonly SpreadFacts[] => {
    const {
      labelSelector,
      matchLabelKeys = [],
      topologyKey,
      maxSkew,
      whenUnsatisfiable,
      nodeTaintsPolicy,
    } = constraint;
    if (!selectsLabels(labelSelector, owned)) return [];
    return [
      {
        topologyKey,
        maxSkew,
        isRequired: whenUnsatisfiable === 'DoNotSchedule',
        countsReleased: !matchLabelKeys.includes(templateLabel) && selectsLabels(labelSelector, released),
        countsCordoned: nodeTaintsPolicy !== 'Honor',
      },
    ];
  });
  return spreads.length === 0 ? {} : { spreads };
}
