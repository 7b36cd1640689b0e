import type { compute_v1 } from '@googleapis/compute';
import type { PodGroupsFacts, ServiceFacts } from '../../../core/model/service.ts';
import type { TargetGroupBase } from '../../../core/model/target-group.ts';
import type { Discoverer } from './discoverer.ts';
import { podEndpoints } from './kinds.ts';
import { mapHealthCheck } from './map.ts';
import { nameIn, parsePath, zoneIn } from './paths.ts';

/**
 * How long pods need to be deregistered: a pod that terminates is detached with the next sync of its group (ingress-gce, pkg/neg/syncers/syncer.go), and
 * proxies hear of it within seconds. Nobody documents either; the lab detaches pods within a second.
 */
const deregistration = { controllerMs: 30_000, propagationMs: 10_000 };

type BackendService = compute_v1.Schema$BackendService;

/**
 * The network endpoint groups of pods behind Services, as their controller has written them on the Services, whatever the type of these: of an Ingress, a
 * Gateway, or a backend service that somebody has made (ingress-gce, pkg/negannotation/negannotation.go, NegStatus). A group that no backend service of the project
 * has gets no connections, and is left out. One that several have is told once for each, because each checks and drains by itself.
 */
export async function discoverPodGroups(
  discoverer: Discoverer,
  services: readonly ServiceFacts[],
): Promise<readonly TargetGroupBase[]> {
  const grouped = services.flatMap(({ key, podGroups }) => (podGroups === undefined ? [] : [{ key, podGroups }]));
  if (grouped.length === 0) return [];
  const backendServices = await discoverer.list();
  const found = grouped.flatMap(({ key, podGroups }) =>
    podGroups.names.flatMap((name) =>
      backendServices.flatMap((backend) => {
        const parts = partsOf(backend, name, podGroups);
        return parts.length === 0 ? [] : [{ key, name, backend, parts }];
      }),
    ),
  );
  return await Promise.all(
    found.map(async ({ key, name, backend, parts }): Promise<TargetGroupBase> => {
      const path = parsePath(backend.selfLink);
      return {
        id: `${path}#${name}`,
        name,
        kind: podEndpoints,
        parts,
        loadBalancer: nameIn(path),
        service: key,
        strandsDraining: false,
        membership: 'pods',
        returnsAfterDrain: true,
        crossZone: true,
        zones: [...new Set(parts.flatMap((part) => zoneIn(part) ?? []))],
        deregistrationDelayMs: (backend.connectionDraining?.drainingTimeoutSec ?? 0) * 1_000,
        // As for groups of nodes ("Enable connection draining").
        terminatesConnectionsAfterDelay: true,
        terminatesUnhealthyConnections: false,
        deregistration,
        healthCheck: mapHealthCheck(await discoverer.healthCheckOf(backend.healthChecks)),
      };
    }),
  );
}

/** The path of the backend service that a target group was found behind. */
export function backendOf({ id }: Pick<TargetGroupBase, 'id'>): string {
  return id.split('#')[0] ?? '';
}

/** Paths of the groups of that name, and of their like for other subnets, that the backend service has in zones of the Service. */
function partsOf({ backends = [] }: BackendService, name: string, { zones }: PodGroupsFacts): readonly string[] {
  const paths = backends.map(({ group }) => parsePath(group));
  const own = paths.filter((path) => path.includes('/networkEndpointGroups/') && isNamedAfter(name, nameIn(path)));
  return own.filter((path) => zones.includes(zoneIn(path) ?? ''));
}

/**
 * Whether a group has that name, or has the pods of the same port on nodes of another subnet than the cluster's first: the Service names only the groups
 * of that one. Names of others have six digits of a hash of their subnet, at the end of a name that somebody has chosen, or before a hash of the cluster,
 * the Service and its port (ingress-gce, pkg/utils/namer/namer.go, NonDefaultSubnetCustomNEG and NonDefaultSubnetNEG; pkg/neg/controller.go,
 * syncNegStatusAnnotation). Groups in other clusters of the project have other names.
 */
function isNamedAfter(name: string, other: string): boolean {
  if (other === name) return true;
  if (other.startsWith(`${name}-`)) return /^[0-9a-f]{6}$/.test(other.slice(name.length + 1));
  const [, cluster, hash] = /^(k8s\d-\w+-).*(-[0-9a-f]{8})$/.exec(name) ?? [];
  if (cluster === undefined || hash === undefined) return false;
  return other.startsWith(cluster) && other.endsWith(hash) && /-[0-9a-f]{6}$/.test(other.slice(0, -hash.length));
}
