import type { V1Ingress } from '@kubernetes/client-node';

import type { NodeFacts } from '../../core/model/node.ts';
import type { ServiceFacts } from '../../core/model/service.ts';
import { type NodeBackend, withNodeBackends } from './node-backends.ts';

const classAnnotation = 'kubernetes.io/ingress.class';

/** What ingress-gce writes on an Ingress once it has a load balancer (ingress-gce, pkg/annotations/ingress.go, UrlMapKey). */
const madeAnnotation = 'ingress.kubernetes.io/url-map';

/**
 * The Services behind an Ingress that ingress-gce has made an external load balancer for: those without a class, and class `gce` (pkg/utils/utils.go,
 * IsGCEIngress). None for the other classes of GKE, whose backends are always network endpoint groups of pods
 * (pkg/controller/translator/translator.go, maybeEnableNEG), and for those of other controllers.
 */
export function ingressBackends({ metadata, spec }: V1Ingress): readonly NodeBackend[] {
  const { [classAnnotation]: named = '', [madeAnnotation]: made } = metadata?.annotations ?? {};
  const isOfGce = named === 'gce' || (named === '' && spec?.ingressClassName === undefined);
  if (!isOfGce || made === undefined) return [];
  const namespace = metadata?.namespace ?? '';
  const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  const backends = [spec?.defaultBackend, ...paths.map(({ backend }) => backend)];
  const names = new Set(backends.flatMap((backend) => backend?.service?.name ?? []));
  const by = `Ingress ${namespace}/${metadata?.name ?? ''}`;
  return [...names].map((name) => ({ service: `${namespace}/${name}`, by }));
}

/**
 * The Services with the Ingress that sends to them through instance groups, which nobody observes: those on GKE that have a port on each node, and no
 * groups of pods.
 */
export function withIngresses(
  services: readonly ServiceFacts[],
  nodes: readonly NodeFacts[],
  backends: readonly NodeBackend[],
): readonly ServiceFacts[] {
  if (!nodes.some(({ providerId }) => providerId?.startsWith('gce://'))) return services;
  const isThroughNodes = ({ type, podGroups }: ServiceFacts) => type !== 'ClusterIP' && podGroups === undefined;
  return withNodeBackends(services, backends, { isThroughNodes, hint });
}

const hint =
  'Have its pods as targets instead of nodes: annotate the Service with cloud.google.com/neg: \'{"ingress": true}\', and wait until its status names the groups.';
