import type { compute_v1 } from '@googleapis/compute';
import type { TargetGroupFacts } from '../../../core/model/target-group.ts';

type Settings = Pick<TargetGroupFacts, 'sticky' | 'maxTargets' | 'successor'>;

/** Maximum nodes of a Service with policy Local behind a backend service (ingress-gce, pkg/neg/syncers/subsets.go, maxSubsetSizeLocal and maxSubsetSizeNetLBLocal). */
const maxHosts = { INTERNAL: 250, EXTERNAL: 3_000 } as const;

/**
 * Maximum VMs of an internal load balancer with instance groups: it sends to no more (GKE documentation, "Create an internal load balancer", Using GKE
 * subsetting; cloud-provider-gcp, providers/gce/gce_loadbalancer_internal.go, ensureInternalInstanceGroup).
 */
const maxInternalNodes = 250;

/** How to leave a target pool or instance groups (GKE documentation, "Concepts of LoadBalancer Services"). */
const successors = {
  external:
    'Create the Service anew with annotation cloud.google.com/l4-rbs: "enabled", under a reserved address: a backend service with network endpoint groups takes its place.',
  internal:
    'Enable subsetting (gcloud container clusters update CLUSTER --enable-l4-ilb-subsetting), then create the Service anew, under a reserved address: network endpoint groups take the place of instance groups.',
} as const;

/** What a target pool is set to, beside its members. */
export function targetPoolSettings(pool: compute_v1.Schema$TargetPool): Settings {
  return { ...stickiness(pool), successor: successors.external };
}

/** What a backend service is set to, beside its members. */
export function backendServiceSettings(
  backend: compute_v1.Schema$BackendService,
  membership: TargetGroupFacts['membership'],
): Settings {
  const isInternal = backend.loadBalancingScheme === 'INTERNAL';
  const sticky = stickiness(backend);
  if (membership === 'all-nodes') {
    if (!isInternal) return { ...sticky, successor: successors.external };
    return { ...sticky, maxTargets: { targets: maxInternalNodes, perZone: false }, successor: successors.internal };
  }
  // A subset has this size by intention: its nodes forward to all pods.
  if (membership !== 'hosts-only') return sticky;
  return { ...sticky, maxTargets: { targets: isInternal ? maxHosts.INTERNAL : maxHosts.EXTERNAL, perZone: false } };
}

/**
 * Whether clients reach targets in other zones than their own. With zonal affinity of this kind, VMs of the region do not, even if no target of their zone
 * is healthy (load balancing documentation, "Zonal affinity for internal passthrough Network Load Balancers"; Compute API reference, `spillover`). Other
 * kinds go to other zones when there is not enough in one. Clients outside of the region are never bound to a zone.
 */
export function reachesAllZones({ networkPassThroughLbTrafficPolicy }: compute_v1.Schema$BackendService): boolean {
  return networkPassThroughLbTrafficPolicy?.zonalAffinity?.spillover !== 'ZONAL_AFFINITY_STAY_WITHIN_ZONE';
}

/** Compute API reference, `sessionAffinity`: NONE unless something else is set. */
export function stickiness({
  sessionAffinity,
}: {
  readonly sessionAffinity?: string | null;
}): Pick<Settings, 'sticky'> {
  return (sessionAffinity ?? 'NONE') === 'NONE' ? {} : { sticky: true };
}
