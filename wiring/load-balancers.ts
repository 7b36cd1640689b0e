import { elbTerms } from '../adapters/elb/cloud-terms.ts';
import { createElbFamily, isNodeOfAws } from '../adapters/elb/family.ts';
import { googleTerms } from '../adapters/gcp/load-balancers/cloud-terms.ts';
import { createGoogleFamily } from '../adapters/gcp/load-balancers/family.ts';
import { findPlace } from '../adapters/gcp/provider-id.ts';
import type { CloudTerms } from '../core/audit/cloud-terms.ts';
import type { NodeFacts } from '../core/model/node.ts';
import type { Problem } from '../core/model/problem.ts';
import { balancersByFamily } from '../operations/balancers-by-family.ts';
import type { Clock } from '../ports/clock.ts';
import type { LoadBalancerFamily, LoadBalancers } from '../ports/load-balancers.ts';
import { googleFromEnvironment } from './environment.ts';
import type { GoogleSettings } from './google-settings.ts';

/** How the load balancers are opened. */
interface BalancerOptions {
  readonly clock: Clock;
  /** Region of the load balancers of AWS. Without one, none of AWS is asked. */
  readonly awsRegion: string | undefined;
  /** Describe calls to Elastic Load Balancing per second; undefined for the adapter's default. */
  readonly elbRatePerSecond?: number | undefined;
  /** Reads of Compute Engine per second; undefined for the adapter's default. */
  readonly gceRatePerSecond?: number | undefined;
  /** Default: what the environment of the process says. */
  readonly google?: GoogleSettings;
}

type OpenFamily = (options: Required<BalancerOptions>) => LoadBalancerFamily | undefined;

/** All families of load balancers, in the order in which they are asked whether a Service is theirs. */
const families: readonly OpenFamily[] = [openElb, openGoogle];

function openElb({ clock, awsRegion: region, elbRatePerSecond: rate }: Required<BalancerOptions>) {
  if (region === undefined || region === '') return undefined;
  const limits = rate === undefined ? {} : { describeRatePerSecond: rate, describeBurst: 3 * rate };
  return createElbFamily({ clock, region, ...limits });
}

function openGoogle({ clock, google: { computeUrl }, gceRatePerSecond: ratePerSecond }: Required<BalancerOptions>) {
  return createGoogleFamily({ clock, ratePerSecond, ...(computeUrl === undefined ? {} : { computeUrl }) });
}

/** Why the load balancers of a cluster with these nodes can't be opened without a region of AWS; undefined where none of the nodes is there. */
function explainMissingRegion(nodes: readonly Pick<NodeFacts, 'providerId'>[]): Problem | undefined {
  if (!nodes.some(({ providerId }) => providerId !== undefined && isNodeOfAws(providerId))) return undefined;
  return {
    code: 'InvalidArgument',
    message: 'the AWS region of the cluster is not known',
    hint: 'Give --region, or set AWS_REGION, to have its load balancers asked too.',
  };
}

/** Opens them for a command that somebody gives by hand: the load balancers of a cluster with these nodes, or why they can't be asked. */
export function openBalancersOf(
  region: string | undefined,
  clock: Clock,
): (nodes: readonly Pick<NodeFacts, 'providerId'>[]) => LoadBalancers | Problem {
  return (nodes) => {
    const problem = region === undefined || region === '' ? explainMissingRegion(nodes) : undefined;
    return problem ?? openLoadBalancers({ awsRegion: region, clock });
  };
}

/** What an audit of a cluster with these nodes names at its cloud. */
export function findCloudTerms(nodes: readonly Pick<NodeFacts, 'providerId'>[]): CloudTerms {
  const providerIds = nodes.flatMap(({ providerId }) => providerId ?? []);
  return findPlace(providerIds) === undefined ? elbTerms : googleTerms;
}

/**
 * The load balancers that the cluster can have. Nothing is connected before the first call, and nothing is asked of a cloud in which the cluster has no
 * nodes. Create one per process, because of its rate limits. @throws NodeferryError InvalidArgument for a wrong variable
 */
export function openLoadBalancers(options: BalancerOptions): LoadBalancers {
  const { google = googleFromEnvironment(process.env), elbRatePerSecond, gceRatePerSecond } = options;
  const settings = { ...options, google, elbRatePerSecond, gceRatePerSecond };
  return balancersByFamily(families.flatMap((open) => open(settings) ?? []));
}
