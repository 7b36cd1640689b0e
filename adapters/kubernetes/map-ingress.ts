import type { V1Ingress } from '@kubernetes/client-node';

import type { NodeFacts } from '../../core/model/node.ts';
import type { ServiceFacts } from '../../core/model/service.ts';
import { type NodeBackend, withNodeBackends } from './node-backends.ts';

const classAnnotation = 'kubernetes.io/ingress.class';

/** What ingress-gce writes on an Ingress once it has a load balancer (ingress-gce, pkg/annotations/ingress.go, UrlMapKey). */
const madeAnnotation = 'ingress.kubernetes.io/url-map';

/** The backend services of that load balancer by name, each with its health at the time (pkg/loadbalancers/l7.go, GetLBAnnotations). */
const backendsAnnotation = 'ingress.kubernetes.io/backends';

/**
 * The Services behind an Ingress that ingress-gce has made an external load balancer for: those without a class, and class `gce` (pkg/utils/utils.go,
 * IsGCEIngress). None for the other classes of GKE, whose backends are always network endpoint groups of pods
 * (pkg/controller/translator/translator.go, maybeEnableNEG), and for those of other controllers.
 */
export function ingressBackends({ metadata, spec }: V1Ingress): readonly NodeBackend[] {
  const {
    [classAnnotation]: named = '',
    [madeAnnotation]: made,
    [backendsAnnotation]: told,
  } = metadata?.annotations ?? {};
  const isOfGce = named === 'gce' || (named === '' && spec?.ingressClassName === undefined);
  if (!isOfGce || made === undefined) return [];
  const namespace = metadata?.namespace ?? '';
  const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  const backends = [spec?.defaultBackend, ...paths.map(({ backend }) => backend)];
  const names = new Set(backends.flatMap((backend) => backend?.service?.name ?? []));
  const by = `Ingress ${namespace}/${metadata?.name ?? ''}`;
  const groups = namesIn(told);
  return [...names].map((name) => ({ service: `${namespace}/${name}`, by, groups }));
}

function namesIn(backends: string | undefined): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(backends ?? '');
    return typeof parsed === 'object' && parsed !== null ? Object.keys(parsed).toSorted() : [];
  } catch {
    return [];
  }
}

/**
 * The Services with the Ingresses that send to them through instance groups: those on GKE that have a port on each node. One with groups of pods for
 * some of its ports only is among them, if an Ingress names backend services for the others.
 */
export function withIngresses(
  services: readonly ServiceFacts[],
  nodes: readonly NodeFacts[],
  backends: readonly NodeBackend[],
): readonly ServiceFacts[] {
  if (!nodes.some(({ providerId }) => providerId?.startsWith('gce://'))) return services;
  const groupsFor = ({ type, nodePorts, podGroups }: ServiceFacts, named: readonly string[]) => {
    const groups = named.filter((name) => nodePorts.includes(portIn(name)));
    return groups.length > 0 || (type !== 'ClusterIP' && podGroups === undefined) ? groups : undefined;
  };
  return withNodeBackends(services, backends, { groupsFor, hint });
}

/** The port of each node to which a backend service with instance groups sends (pkg/utils/namer/namer.go, IGBackend). NaN for others. */
function portIn(backendService: string): number {
  return Number(/^k8s-be-(\d+)(?:--|$)/.exec(backendService)?.[1]);
}

const hint =
  'Have its pods as targets instead of nodes: annotate the Service with cloud.google.com/neg: \'{"ingress": true}\', and wait until its status names the groups.';
