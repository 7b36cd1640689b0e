import type { compute_v1 } from '@googleapis/compute';
import type { ServiceFacts } from '../../../core/model/service.ts';
import type { TargetGroupBase } from '../../../core/model/target-group.ts';
import { isOfIngress } from './descriptions.ts';
import type { Discoverer } from './discoverer.ts';
import { backendService } from './kinds.ts';
import { mapHealthCheck } from './map.ts';
import { nameIn, parsePath, zoneIn } from './paths.ts';
import { stickiness } from './settings.ts';

type BackendService = compute_v1.Schema$BackendService;

/** Maximum VMs of an instance group: its controller registers no others (ingress-gce, pkg/flags/flags.go, max-ig-size; pkg/instancegroups/manager.go, Sync). */
const maxInstances = 1_000;

/**
 * The backend services with instance groups behind Ingresses. Each sends to a port of every node, for one port of one Service. An Ingress names those of
 * its Services: the port and the ID of the cluster are in the name (ingress-gce, pkg/utils/serviceport.go, BackendName). The port may have gone to another
 * Service since, so the description has to name this one as well (pkg/utils/description.go). Only external load balancers in front of several regions
 * have instance groups (pkg/backends/ig_linker.go). A backend service that has none yet sends to nobody, and is not found.
 *
 * Their controller is the one of the instance groups of Services: its groups have all nodes that are Ready, cordoned or not, without the exclude label,
 * and it reads the label when the cordon changes (pkg/instancegroups/controller.go; pkg/utils/zonegetter/zone_getter.go, candidateNodesPredicate). It
 * does so as well whenever an Ingress is synced (pkg/controller/controller.go, syncInstanceGroup); nobody knows when that is.
 */
export async function discoverIngressGroups(
  discoverer: Discoverer,
  services: readonly ServiceFacts[],
): Promise<readonly TargetGroupBase[]> {
  const named = services.flatMap(({ key, nodePortBalancers = [] }) => {
    const names = new Set(nodePortBalancers.flatMap(({ groups }) => groups));
    return names.size === 0 ? [] : [{ key, names }];
  });
  if (named.length === 0) return [];
  const backendServices = await discoverer.list();
  const found = named.flatMap(({ key, names }) =>
    backendServices
      .filter((one) => names.has(one.name ?? '') && isOfIngress(key, one.description) && hasInstanceGroups(one))
      .map((own) => ({ key, own })),
  );
  return await Promise.all(found.map(async ({ key, own }) => await describe(discoverer, key, own, backendServices)));
}

async function describe(
  discoverer: Discoverer,
  service: string,
  own: BackendService,
  all: readonly BackendService[],
): Promise<TargetGroupBase> {
  const id = parsePath(own.selfLink);
  const zones = groupsOf(own).flatMap((path) => zoneIn(path) ?? []);
  return {
    id,
    name: nameIn(id),
    kind: backendService,
    loadBalancer: nameIn(id),
    service,
    strandsDraining: false,
    membership: 'all-nodes',
    readsLabelWithCordon: true,
    ignoresLabelValue: true,
    crossZone: true,
    zones: zones.toSorted(),
    maxTargets: { targets: maxInstances, perZone: true },
    ...stickiness(own),
    deregistrationDelayMs: drainSeconds(own, all) * 1_000,
    // As for groups of nodes and of pods ("Enable connection draining").
    terminatesConnectionsAfterDelay: true,
    terminatesUnhealthyConnections: false,
    healthCheck: mapHealthCheck(await discoverer.healthCheckOf(own.healthChecks)),
  };
}

function hasInstanceGroups(own: BackendService): boolean {
  const groups = groupsOf(own);
  return groups.length > 0 && groups.every((path) => path.includes('/instanceGroups/'));
}

function groupsOf({ backends = [] }: BackendService): readonly string[] {
  return backends.map(({ group }) => parsePath(group));
}

/**
 * Backend services that share instance groups drain for the longest of their times ("Enable connection draining"): those of all Ingresses of a cluster
 * do. Its controller sets none unless a BackendConfig does (pkg/backends/features/draining.go), and none is 0.
 */
function drainSeconds(own: BackendService, all: readonly BackendService[]): number {
  const groups = new Set(groupsOf(own));
  const sharing = all.filter((one) => groupsOf(one).some((path) => groups.has(path)));
  return Math.max(0, ...sharing.map(({ connectionDraining }) => connectionDraining?.drainingTimeoutSec ?? 0));
}
