import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Clock } from '../../ports/clock.ts';
import type { LoadBalancers } from '../../ports/load-balancers.ts';
import { type AwsClientOptions, awsClientConfig } from '../aws/client-config.ts';
import { coalesce } from '../calls/coalesce.ts';
import { createRateLimiter } from '../calls/rate-limiter.ts';
import { rememberAttributes } from './attributes.ts';
import { readTargetHealth } from './describe.ts';
import { discoverTargetGroups, firstOfEachService } from './discover.ts';
import { boundInOtherAccounts, discoverBoundGroups } from './discover-bound.ts';

/** How the ELB adapter works. Credentials and endpoint come from the SDK's own provider chain, e.g. `AWS_ENDPOINT_URL`. */
export interface ElbOptions extends AwsClientOptions {
  readonly region: string;
  readonly clock: Clock;
  /**
   * Describe calls per second over all callers of this adapter. Default 4: ELB's own bucket holds 40 and refills by 10 per second for the whole account,
   * including its controllers (ELB user guide, "Request throttling for the ELB API").
   */
  readonly describeRatePerSecond?: number;
  /** Describe calls that may be made at once after a quiet period. Default 12 of the account's 40. */
  readonly describeBurst?: number;
}

/**
 * How long attributes are cached, ms. Attributes are configuration and determine how long to wait; the end of the wait is observed, not computed. So
 * they may be older than the list of load balancers and target groups.
 */
const attributesKnownForMs = 10 * 60_000;

/** The load balancers of one region. Create one per process, because each has its own rate limiter. */
export function createElbLoadBalancers(options: ElbOptions): LoadBalancers {
  const { clock, describeRatePerSecond: ratePerSecond = 4, describeBurst: burst = 12 } = options;
  const client = new ElasticLoadBalancingV2Client(awsClientConfig(options.region, options));
  const limiter = createRateLimiter({ ratePerSecond, burst, clock });
  const reader = { client, limiter };
  const attributes = rememberAttributes(reader, clock);
  const observation = coalesce(
    clock,
    () => limiter.queue(),
    (arn: string) => readTargetHealth(client, arn),
  );

  return {
    discover: async (services, { beside, anew = false } = {}) => {
      const since = clock.now() - (anew ? 0 : attributesKnownForMs);
      const discoverer = { reader, attributes, since };
      const exposed = await discoverTargetGroups(discoverer, services, beside);
      const elsewhere = [...services, ...(beside ?? [])].flatMap(boundInOtherAccounts);
      return {
        groups: [...exposed.groups, ...(await discoverBoundGroups(discoverer, services, exposed.groups))],
        unsupported: firstOfEachService([...exposed.unsupported, ...elsewhere]),
      };
    },
    readTargets: async (groups, { since, first = false } = {}) => {
      const observationMs = (groups.length * 1000) / ratePerSecond;
      const oldest = since === undefined ? {} : { since: Math.min(since, clock.now() - observationMs) };
      return await Promise.all(
        groups.map(async (group) => ({ ...group, targets: await observation(group.id, { ...oldest, first }) })),
      );
    },
  };
}
