import { DescribeTargetHealthCommand, ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { TargetFacts, TargetGroupFacts } from '../../core/model/target-group.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LoadBalancers } from '../../ports/load-balancers.ts';
import { type AwsClientOptions, awsClientConfig } from '../aws/client-config.ts';
import { discoverFrames, type TargetGroupFrame } from './discover.ts';
import { callElb } from './errors.ts';
import { mapTarget } from './map.ts';
import { createRateBudget } from './rate-budget.ts';
import { shareWaitingLooks } from './shared-look.ts';

/** How the ELB adapter works. Credentials and endpoint come from the SDK's own chain, e.g. `AWS_ENDPOINT_URL`. */
export interface ElbOptions extends AwsClientOptions {
  readonly region: string;
  readonly clock: Clock;
  /** Describe calls per second over all callers of this adapter. Default 4: ELB refills 10 for the whole account. */
  readonly describeRatePerSecond?: number;
  /** Describe calls that may be made at once after a quiet time. Default 12 of the account's 40. */
  readonly describeBurst?: number;
}

/** The load balancers of one region. Make one per process: the rate budget is its own. */
export function createElbLoadBalancers(options: ElbOptions): LoadBalancers {
  const client = new ElasticLoadBalancingV2Client(awsClientConfig(options.region, options));
  const budget = createRateBudget({
    ratePerSecond: options.describeRatePerSecond ?? 4,
    burst: options.describeBurst ?? 12,
    clock: options.clock,
  });
  const readTargets = shareWaitingLooks(
    () => budget.take(),
    (arn) => describeTargets(client, arn),
  );

  async function withTargets<T extends TargetGroupFrame>(groups: readonly T[]): Promise<TargetGroupFacts[]> {
    return Promise.all(groups.map(async (group) => ({ ...group, targets: await readTargets(group.id) })));
  }

  return {
    discover: async (services) => {
      const { frames, unsupported } = await discoverFrames({ client, budget }, services);
      return { groups: await withTargets(frames), unsupported };
    },
    refresh: withTargets,
  };
}

async function describeTargets(client: ElasticLoadBalancingV2Client, arn: string): Promise<readonly TargetFacts[]> {
  const answer = await callElb('elasticloadbalancing:DescribeTargetHealth', `target group ${arn}`, () =>
    client.send(new DescribeTargetHealthCommand({ TargetGroupArn: arn })),
  );
  return (answer.TargetHealthDescriptions ?? []).map(mapTarget);
}
