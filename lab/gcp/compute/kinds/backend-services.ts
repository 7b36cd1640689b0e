import { HttpError } from '../../errors.ts';
import type { World } from '../../world.ts';
import { linkTo, nameIn, parseLink } from '../links.ts';
import type { Resource } from '../state.ts';
import { addressIn, readHealth } from './backends.ts';
import type { Kind } from './kind.ts';
import { requireResource } from './store.ts';

/** Backend services: of passthrough load balancers in a region, of others globally. */
export const backendServices: Kind = {
  collection: 'backendServices',
  singular: 'backendService',
  apis: { region: 'regionBackendServices', global: 'backendServices' },
  methods: ['get', 'list', 'aggregatedList', 'insert', 'delete', 'patch', 'update'],
  // Compute API reference, BackendService: the default is 0, connections are not drained.
  complete: (_world, _scope, { connectionDraining = { drainingTimeoutSec: 0 } }) => ({ connectionDraining }),
  reads: { getHealth: (world, service, { body }) => describeHealth(world, service, parseLink(body['group'])) },
};

/** Health of the members of one of its groups. */
function describeHealth(world: World, service: Resource, path: string) {
  const backends = (service.fields['backends'] ?? []) as readonly { group?: string }[];
  if (!backends.some(({ group }) => parseLink(group) === path)) {
    throw new HttpError(
      400,
      'invalid',
      `Invalid value for field 'resource.group': '${nameIn(path)}'. The group is not a backend of the backend service.`,
    );
  }
  const behind = requireResource(world, path);
  return {
    kind: 'compute#backendServiceGroupHealth',
    healthStatus: behind.backends.map((member) => ({
      instance: linkTo(world, member.instance),
      ipAddress: member.ip ?? addressIn(world, member.instance),
      ...(member.port !== undefined && { port: member.port }),
      healthState: readHealth(world, service, behind, member),
    })),
  };
}
