import { mapTargetGroup } from '../../../adapters/elb/map.ts';
import type { TargetGroupFacts } from './model.ts';

/** The target group of Service `default/web` with pods as targets, none of them registered, as it is read from AWS. */
export function ipGroup(
  Type: 'network' | 'application',
  attributes: Readonly<Record<string, string>> = {},
): TargetGroupFacts {
  const base = mapTargetGroup({
    service: 'default/web',
    controller: 'aws-load-balancer-controller',
    loadBalancer: { LoadBalancerName: 'k8s-web', Type, AvailabilityZones: [{ ZoneName: 'a' }, { ZoneName: 'b' }] },
    loadBalancerAttributes: [{ Key: 'load_balancing.cross_zone.enabled', Value: 'true' }],
    targetGroup: { TargetGroupArn: 'arn:web', TargetGroupName: 'k8s-web', TargetType: 'ip' },
    targetGroupAttributes: Object.entries(attributes).map(([Key, Value]) => ({ Key, Value })),
  });
  return { ...base, targets: [] };
}
