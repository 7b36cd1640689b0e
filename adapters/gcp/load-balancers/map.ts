import type { compute_v1 } from '@googleapis/compute';
import type { HealthCheckFacts, TargetFacts, TargetState } from '../../../core/model/target-group.ts';
import { canonicalAddress } from './address.ts';
import { nameIn, parsePath, zoneIn } from './paths.ts';

/** Facts of a health check. Defaults are those of the Compute API reference (HealthCheck). Without one, nothing is ever unhealthy. */
export function mapHealthCheck(check: compute_v1.Schema$HealthCheck | undefined): HealthCheckFacts {
  if (check === undefined) {
    return { protocol: 'none', port: '0', intervalMs: 0, timeoutMs: 0, healthyThreshold: 0, unhealthyThreshold: 0 };
  }
  const { httpHealthCheck, httpsHealthCheck, tcpHealthCheck, sslHealthCheck, http2HealthCheck, grpcHealthCheck } =
    check;
  const detail =
    httpHealthCheck ?? httpsHealthCheck ?? tcpHealthCheck ?? sslHealthCheck ?? http2HealthCheck ?? grpcHealthCheck;
  return {
    protocol: check.type ?? 'TCP',
    port: String(detail?.port ?? 80),
    intervalMs: (check.checkIntervalSec ?? 5) * 1_000,
    timeoutMs: (check.timeoutSec ?? 5) * 1_000,
    healthyThreshold: check.healthyThreshold ?? 2,
    unhealthyThreshold: check.unhealthyThreshold ?? 2,
  };
}

/** An endpoint of a network endpoint group, with its health in that backend service (a path). A port of 0: the VM as a whole. */
export function mapEndpoint(
  endpoint: compute_v1.Schema$NetworkEndpointWithHealthStatus,
  group: string,
  backendService: string,
): TargetFacts {
  return {
    kind: 'instance',
    instanceId: nameIn(endpoint.networkEndpoint?.instance),
    ...mapState(endpoint, group, backendService),
  };
}

/** A pod in a network endpoint group, with its health in that backend service (a path). */
export function mapPodEndpoint(
  endpoint: compute_v1.Schema$NetworkEndpointWithHealthStatus,
  group: string,
  backendService: string,
): TargetFacts {
  const { ipAddress, ipv6Address } = endpoint.networkEndpoint ?? {};
  return { kind: 'pod', ip: canonicalAddress(ipAddress ?? ipv6Address), ...mapState(endpoint, group, backendService) };
}

/** What endpoints of both kinds have. One with addresses of IPv4 and IPv6 has a state for each. */
function mapState(
  { networkEndpoint, healths }: compute_v1.Schema$NetworkEndpointWithHealthStatus,
  group: string,
  backendService: string,
) {
  const own = healths?.find((health) => parsePath(health.backendService?.backendService) === backendService);
  return {
    port: networkEndpoint?.port ?? 0,
    zone: zoneIn(group),
    ...mapHealth([own?.healthState, own?.ipv6HealthState]),
  };
}

/** A VM of an instance group or a target pool, with its health, one for each forwarding rule. */
export function mapInstance(
  instance: string,
  health: readonly (compute_v1.Schema$HealthStatus | undefined)[],
): TargetFacts {
  const states = health.filter((one) => one !== undefined).map(({ healthState }) => healthState);
  return { kind: 'instance', instanceId: nameIn(instance), port: 0, zone: zoneIn(instance), ...mapHealth(states) };
}

/**
 * The worst of the states. An endpoint without one was attached a moment ago. One that is detached is `DRAINING`, or `UNHEALTHY` if it fails its checks
 * as well (ingress-gce, pkg/neg/syncers/utils.go, healthStatusIndicatesDraining): only its absence says that it is deregistered.
 */
function mapHealth(states: readonly (string | null | undefined)[]): Pick<TargetFacts, 'state' | 'reason'> {
  const order = ['DRAINING', 'UNHEALTHY', 'UNKNOWN', 'HEALTHY'];
  const found = order.find((state) => states.includes(state));
  const state = found === undefined ? 'initial' : (words[found] ?? 'unavailable');
  return { state, ...(state !== 'healthy' && { reason: found ?? 'no health yet' }) };
}

const words: Readonly<Record<string, TargetState>> = {
  DRAINING: 'draining',
  UNHEALTHY: 'unhealthy',
  HEALTHY: 'healthy',
};
