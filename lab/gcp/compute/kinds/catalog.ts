import { addresses } from './addresses.ts';
import { backendServices } from './backend-services.ts';
import { firewalls } from './firewalls.ts';
import { forwardingRules } from './forwarding-rules.ts';
import { healthChecks, httpHealthChecks, httpsHealthChecks } from './health-checks.ts';
import { instanceGroups } from './instance-groups.ts';
import type { Kind } from './kind.ts';
import { networkEndpointGroups } from './network-endpoint-groups.ts';
import { targetPools } from './target-pools.ts';
import { targetTcpProxies } from './target-tcp-proxies.ts';

/** All kinds of resources that clients create. */
export const kinds: readonly Kind[] = [
  addresses,
  backendServices,
  firewalls,
  forwardingRules,
  healthChecks,
  httpHealthChecks,
  httpsHealthChecks,
  instanceGroups,
  networkEndpointGroups,
  targetPools,
  targetTcpProxies,
];
