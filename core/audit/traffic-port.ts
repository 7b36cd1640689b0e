import type { ServiceFacts } from '../model/service.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';

/** Whether the health check asks the pods, through the port that serves: it passes as long as one of them answers, even one that terminates. */
export function checksTrafficPort(
  { healthCheck: { port } }: Pick<TargetGroupFacts, 'healthCheck'>,
  { nodePorts }: Pick<ServiceFacts, 'nodePorts'>,
): boolean {
  return port === 'traffic-port' || nodePorts.includes(Number(port));
}
