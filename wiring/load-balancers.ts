import { createElbFamily } from '../adapters/elb/family.ts';
import { createGoogleFamily } from '../adapters/gcp/load-balancers/family.ts';
import { balancersByFamily } from '../operations/balancers-by-family.ts';
import type { Clock } from '../ports/clock.ts';
import type { LoadBalancerFamily, LoadBalancers } from '../ports/load-balancers.ts';
import { type GoogleSettings, googleFromEnvironment } from './environment.ts';

/** How the load balancers are opened. */
interface BalancerOptions {
  readonly clock: Clock;
  /** Region of the load balancers of AWS. Without one, none of AWS is asked. */
  readonly awsRegion: string | undefined;
  /** Describe calls to Elastic Load Balancing per second; undefined for the adapter's default. */
  readonly elbRatePerSecond?: number | undefined;
  /** Default: what the environment of the process says. */
  readonly google?: GoogleSettings;
}

/**
 * All families of load balancers, in the order in which they are asked whether a Service is theirs. Nothing is connected before the first call, and
 * nothing is asked of a cloud in which the cluster has no nodes. @throws NodeferryError InvalidArgument for a wrong variable
 */
const families: readonly ((options: Required<BalancerOptions>) => readonly LoadBalancerFamily[])[] = [
  ({ clock, awsRegion: region, elbRatePerSecond: rate }) =>
    region === undefined || region === ''
      ? []
      : [
          createElbFamily({
            clock,
            region,
            ...(rate === undefined ? {} : { describeRatePerSecond: rate, describeBurst: 3 * rate }),
          }),
        ],
  ({ clock, google: { gkeEndpoint: _gke, project: _project, ...google } }) => [
    createGoogleFamily({ clock, ...google }),
  ],
];

/** The load balancers that the cluster can have. Create one per process: each family has its own rate limit. */
export function openLoadBalancers(options: BalancerOptions): LoadBalancers {
  const { google = googleFromEnvironment(process.env), elbRatePerSecond } = options;
  return balancersByFamily(families.flatMap((open) => open({ ...options, google, elbRatePerSecond })));
}
