import type { CreateTargetGroupInput, ModifyTargetGroupInput } from '@aws-sdk/client-elastic-load-balancing-v2';
import { elbError } from './errors.ts';
import type { HealthCheck } from './state.ts';

type Settings = CreateTargetGroupInput | ModifyTargetGroupInput;

function within(name: string, value: number, min: number, max: number): void {
  if (value >= min && value <= max) return;
  throw elbError(
    'ValidationError',
    `${name} '${value}' must be greater than or equal to '${min}' and less than or equal to '${max}'`,
  );
}

/**
 * Health check settings from a request, applied to the existing ones. The defaults and limits of a network load balancer are those of the ELBv2 API
 * reference, CreateTargetGroup: interval 30 s of 5-300, timeout 10 s (HTTP 6 s) of 2-120, thresholds 5 and 2 of 2-10.
 */
export function healthCheckFrom(input: Settings, before?: HealthCheck): HealthCheck {
  const protocol = input.HealthCheckProtocol ?? before?.protocol ?? 'TCP';
  const http = protocol === 'HTTP' || protocol === 'HTTPS';
  const check: HealthCheck = {
    protocol,
    port: input.HealthCheckPort ?? before?.port ?? 'traffic-port',
    path: http ? (input.HealthCheckPath ?? before?.path ?? '/') : undefined,
    matcher: http ? (input.Matcher?.HttpCode ?? before?.matcher ?? '200-399') : undefined,
    enabled: input.HealthCheckEnabled ?? before?.enabled ?? true,
    intervalSeconds: input.HealthCheckIntervalSeconds ?? before?.intervalSeconds ?? 30,
    timeoutSeconds: input.HealthCheckTimeoutSeconds ?? before?.timeoutSeconds ?? (protocol === 'HTTP' ? 6 : 10),
    healthyThreshold: input.HealthyThresholdCount ?? before?.healthyThreshold ?? 5,
    unhealthyThreshold: input.UnhealthyThresholdCount ?? before?.unhealthyThreshold ?? 2,
  };
  within('Health check interval', check.intervalSeconds, 5, 300);
  within('Health check timeout', check.timeoutSeconds, 2, 120);
  within('Healthy threshold count', check.healthyThreshold, 2, 10);
  within('Unhealthy threshold count', check.unhealthyThreshold, 2, 10);
  return check;
}
