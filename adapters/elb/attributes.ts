import type {
  LoadBalancer,
  LoadBalancerAttribute,
  TargetGroup,
  TargetGroupAttribute,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Clock } from '../../ports/clock.ts';
import { rememberReads } from '../calls/remember.ts';
import { type ElbReader, readLoadBalancerAttributes, readTargetGroupAttributes } from './describe.ts';

/** Attributes of load balancers and target groups, which cost one call each. Attributes read after `since` (epoch ms) are fresh enough. */
export interface KnownAttributes {
  ofLoadBalancer(loadBalancer: LoadBalancer, since: number): Promise<readonly LoadBalancerAttribute[]>;
  ofTargetGroup(targetGroup: TargetGroup, since: number): Promise<readonly TargetGroupAttribute[]>;
}

/** Remembers attributes by ARN. */
export function rememberAttributes(reader: ElbReader, clock: Pick<Clock, 'now'>): KnownAttributes {
  const ofLoadBalancer = rememberReads(clock, (one: LoadBalancer) => readLoadBalancerAttributes(reader, one));
  const ofTargetGroup = rememberReads(clock, (one: TargetGroup) => readTargetGroupAttributes(reader, one));
  return {
    ofLoadBalancer: (one, since) => ofLoadBalancer(one.LoadBalancerArn ?? '', one, since),
    ofTargetGroup: (one, since) => ofTargetGroup(one.TargetGroupArn ?? '', one, since),
  };
}
