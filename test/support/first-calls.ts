/** What a worker loads with its first calls to the cloud of the provider in its argument. Nobody answers them, and none is waited for. */
import type { ServiceFacts } from '../../core/model/service.ts';
import { openLoadBalancers } from '../../wiring/load-balancers.ts';
import { openNodePools } from '../../wiring/node-pools.ts';

const service: ServiceFacts = {
  key: 'default/web',
  type: 'LoadBalancer',
  externalTrafficPolicy: 'Local',
  internalTrafficPolicy: 'Cluster',
  selector: {},
  healthCheckNodePort: 30_100,
  nodePorts: [],
  hostnames: [],
  publishNotReadyAddresses: false,
  endpoints: [],
};

/** An address of a load balancer, and the provider ID of a node, in each cloud. */
const clouds = {
  eks: { address: 'web-1a2b.elb.eu-west-1.amazonaws.com', providerId: 'aws:///eu-west-1a/i-1' },
  gke: { address: '192.0.2.1', providerId: 'gce://shop-prod/europe-west1-b/n-1' },
};

const clock = { now: () => Date.now(), sleep: async () => undefined };
const google = { project: 'shop-prod' };
const provider = process.argv[2] === 'gke' ? 'gke' : 'eks';
const { address, providerId } = clouds[provider];
const pools = openNodePools({ clock, google });
const balancers = openLoadBalancers({ clock, awsRegion: 'eu-west-1', google });
await Promise.allSettled([
  pools.findPool({ provider, cluster: 'prod', region: 'eu-west-1', name: 'web' }),
  balancers.discover([{ ...service, hostnames: [address] }], { providerIds: [providerId] }),
]);
process.exit();
