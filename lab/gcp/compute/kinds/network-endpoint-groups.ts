import { HttpError } from '../../errors.ts';
import type { World } from '../../world.ts';
import type { ComputeCall } from '../call.ts';
import { pageOf } from '../filter.ts';
import { linkTo, nameIn, scopeIn } from '../links.ts';
import type { Backend, Resource } from '../state.ts';
import { attach, drain, readHealth, requireVm, servicesWith } from './backends.ts';
import type { Kind } from './kind.ts';

interface Endpoint {
  readonly instance?: string;
  readonly ipAddress?: string;
  readonly ipv6Address?: string;
  readonly port?: number;
}

/** Most endpoints in one call (Compute API reference, networkEndpointGroups.attachNetworkEndpoints; ingress-gce, MAX_NETWORK_ENDPOINTS_PER_BATCH). */
const maxEndpoints = 500;

/** Zonal network endpoint groups: of nodes (GCE_VM_IP), or of pods (GCE_VM_IP_PORT). */
export const networkEndpointGroups: Kind = {
  collection: 'networkEndpointGroups',
  singular: 'networkEndpointGroup',
  apis: { zone: 'networkEndpointGroups' },
  methods: ['get', 'list', 'aggregatedList', 'insert', 'delete'],
  derive: (_world, { backends }) => ({ size: backends.length }),
  reads: {
    listNetworkEndpoints: (world, group, { query, body }) => {
      const shown = body['healthStatus'] === 'SHOW';
      const { items, ...next } = pageOf(group.backends, query);
      return {
        kind: 'compute#networkEndpointGroupsListNetworkEndpoints',
        items: items.map((backend) => describeEndpoint(world, group, backend, shown)),
        ...next,
      };
    },
  },
  changes: {
    attachNetworkEndpoints: (world, group, call) => {
      attach(world, group, readEndpoints(world, group, call));
      return 0;
    },
    detachNetworkEndpoints: (world, group, call) => drain(world, group, findEndpoints(group, call)),
  },
};

function sentEndpoints({ body }: ComputeCall): readonly Endpoint[] {
  const { networkEndpoints = [] } = body as { networkEndpoints?: readonly Endpoint[] };
  if (networkEndpoints.length > 0 && networkEndpoints.length <= maxEndpoints) return networkEndpoints;
  throw new HttpError(
    400,
    'invalid',
    `Invalid value for field 'networkEndpoints': ${networkEndpoints.length} endpoints, where 1 to ${maxEndpoints} are allowed.`,
  );
}

function readEndpoints(world: World, group: Resource, call: ComputeCall) {
  const withPort = group.fields['networkEndpointType'] === 'GCE_VM_IP_PORT';
  return sentEndpoints(call).map(({ instance, ipAddress, ipv6Address, port }) => ({
    instance: requireVm(world, instance, scopeIn(group.path)),
    ip: ipAddress ?? '',
    ipv6: ipv6Address,
    port: withPort ? port : undefined,
  }));
}

/** The members that a call names. Those who detach pods may leave out the VM. */
function findEndpoints(group: Resource, call: ComputeCall): Backend[] {
  const sent = sentEndpoints(call);
  return group.backends.filter(({ ip, ipv6, port, instance }) =>
    sent.some(
      (endpoint) =>
        (endpoint.ipAddress ?? '') === ip &&
        endpoint.ipv6Address === ipv6 &&
        (endpoint.port === undefined || port === undefined || endpoint.port === port) &&
        (endpoint.instance === undefined || nameIn(endpoint.instance) === nameIn(instance)),
    ),
  );
}

/** An endpoint has a state for each of its addresses (Compute API reference, HealthStatusForNetworkEndpoint). */
function describeEndpoint(world: World, group: Resource, backend: Backend, shown: boolean) {
  const services = shown ? servicesWith(world, group) : [];
  const { ip, ipv6 } = backend;
  return {
    networkEndpoint: {
      instance: nameIn(backend.instance),
      ...(ip !== '' && { ipAddress: ip }),
      ...(ipv6 !== undefined && { ipv6Address: ipv6 }),
      ...(backend.port !== undefined && { port: backend.port }),
    },
    healths: services.map((service) => ({
      backendService: { backendService: linkTo(world, service.path) },
      ...(ip !== '' && { healthState: readHealth(world, service, group, backend) }),
      ...(ipv6 !== undefined && { ipv6HealthState: readHealth(world, service, group, { ...backend, ip: ipv6 }) }),
    })),
  };
}
