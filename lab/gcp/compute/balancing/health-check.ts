import type { HealthProbe } from '../../../contracts.ts';
import type { World } from '../../world.ts';
import { parseLink } from '../links.ts';
import type { Member } from './state.ts';

/** How the health of an owner's members is checked. */
type HealthCheck = Pick<HealthProbe, 'protocol' | 'path' | 'intervalMs' | 'timeoutMs'> & {
  /** Undefined: the member's own. */
  readonly port: number | undefined;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
};

/** Where and what is asked for. */
interface Check {
  readonly port?: number;
  readonly requestPath?: string;
  readonly portSpecification?: string;
}

/** Fields of HealthCheck and of the older HttpHealthCheck (Compute API reference). */
interface Fields extends Check {
  readonly httpHealthCheck?: Check;
  readonly tcpHealthCheck?: Check;
  readonly checkIntervalSec: number;
  readonly timeoutSec: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

/**
 * The health check of a backend service or a target pool: the first one, since both have at most one (Compute API reference, BackendService and
 * TargetPool). Undefined without one; then all members count as healthy. One by HTTP passes here with 200 to 399, at Google only with 200 (load balancing
 * documentation, "Health checks overview"); one that is neither HTTP nor TCP passes when the port can be connected to.
 */
export function healthCheckOf(world: World, owner: string): HealthCheck | undefined {
  const { healthChecks = [] } = (world.resources.get(owner)?.fields ?? {}) as { healthChecks?: readonly string[] };
  const path = parseLink(healthChecks[0]);
  const resource = world.resources.get(path);
  if (resource === undefined) return undefined;
  const fields = resource.fields as unknown as Fields;
  const http: Check | undefined = path.includes('/httpHealthChecks/') ? fields : fields.httpHealthCheck;
  const { port, portSpecification }: Check = http ?? fields.tcpHealthCheck ?? {};
  return {
    protocol: http === undefined ? 'TCP' : 'HTTP',
    path: http?.requestPath ?? '/',
    port: portSpecification === 'USE_SERVING_PORT' ? undefined : (port ?? 80),
    intervalMs: fields.checkIntervalSec * 1_000,
    timeoutMs: fields.timeoutSec * 1_000,
    healthyThreshold: fields.healthyThreshold,
    unhealthyThreshold: fields.unhealthyThreshold,
  };
}

/** The check of one member; undefined when its owner has none. */
export function probeFor(world: World, member: Member): HealthProbe | undefined {
  const check = healthCheckOf(world, member.owner);
  if (check === undefined) return undefined;
  const { protocol, path, intervalMs, timeoutMs } = check;
  return { id: member.id, ip: member.ip, port: check.port ?? member.port ?? 80, protocol, path, intervalMs, timeoutMs };
}
