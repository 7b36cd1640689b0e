/** Services as GKE has them, by what is behind their load balancer. */
import type { V1Service } from '@kubernetes/client-node';
import { serviceMetadata, servicePorts } from './workloads.ts';

const INTERNAL = { 'networking.gke.io/load-balancer-type': 'Internal' } as const;
const BACKEND_SERVICE = { 'cloud.google.com/l4-rbs': 'enabled' } as const;

interface Making {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly loadBalancerClass?: string;
}

/**
 * What makes each kind, with both controllers running and subsetting of internal load balancers on. A finalizer says which controller has made a Service
 * before: with it both leave the Service as it was, which is how clusters come to have kinds that they would not make any more.
 * - `target-pool`: nothing; the cloud controller manager (cloud-provider-gcp, providers/gce/gce_loadbalancer_external.go).
 * - `internal-groups`: internal, from before subsetting; the cloud controller manager (gce_loadbalancer_internal.go, ILBFinalizerV1).
 * - `external-groups`: a backend service from before network endpoint groups; ingress-gce (pkg/l4/controllers/l4netlbcontroller.go,
 *   shouldUseNEGBackends).
 * - `internal-endpoints`, `external-endpoints`: what GKE makes now; ingress-gce. `class` is the latter, by the class of load balancers.
 */
const makings = {
  'target-pool': {},
  'internal-groups': { annotations: INTERNAL, finalizers: ['gke.networking.io/l4-ilb-v1'] },
  'external-groups': { annotations: BACKEND_SERVICE, finalizers: ['gke.networking.io/l4-netlb-v2'] },
  'internal-endpoints': { annotations: INTERNAL },
  'external-endpoints': { annotations: BACKEND_SERVICE },
  class: { loadBalancerClass: 'networking.gke.io/l4-regional-external' },
} as const satisfies Readonly<Record<string, Making>>;

/** Which of them. */
export type GoogleServiceKind = keyof typeof makings;

/** A Service of GKE. */
interface GoogleServiceOptions {
  readonly name: string;
  readonly clusterIP: string;
  readonly externalTrafficPolicy: 'Local' | 'Cluster';
}

/** A Service on port 80 behind a passthrough load balancer of that kind. */
export function googleService(
  kind: GoogleServiceKind,
  { name, clusterIP, externalTrafficPolicy }: GoogleServiceOptions,
): V1Service {
  const { annotations = {}, finalizers = [], loadBalancerClass }: Making = makings[kind];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...serviceMetadata(name),
      annotations: { ...annotations },
      ...(finalizers.length > 0 && { finalizers: [...finalizers] }),
    },
    spec: {
      type: 'LoadBalancer',
      clusterIP,
      externalTrafficPolicy,
      ...(loadBalancerClass !== undefined && { loadBalancerClass }),
      ...servicePorts(name),
    },
  };
}

/** The condition that a webhook of GKE adds to pods behind network endpoint groups (ingress-gce, pkg/neg/types/shared/types.go, NegReadinessGate). */
export const podGroupsGate = 'cloud.google.com/load-balancer-neg-ready';

/** A Service of type ClusterIP on port 80 with standalone network endpoint groups of its pods, for which somebody makes the load balancer. */
export function podGroupsService({ name, clusterIP }: Pick<GoogleServiceOptions, 'name' | 'clusterIP'>): V1Service {
  const exposed = JSON.stringify({ exposed_ports: { 80: { name: `${name}-group` } } });
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...serviceMetadata(name), annotations: { 'cloud.google.com/neg': exposed } },
    spec: { type: 'ClusterIP', clusterIP, ...servicePorts(name) },
  };
}
