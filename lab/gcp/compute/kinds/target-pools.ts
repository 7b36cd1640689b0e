import { HttpError, noResource } from '../../errors.ts';
import type { World } from '../../world.ts';
import { linkTo, parseLink } from '../links.ts';
import type { BackendKey, Resource } from '../state.ts';
import { attach, readHealth, remove } from './backends.ts';
import type { Kind } from './kind.ts';

/** Target pools. Whether a VM exists is not checked: pools may name VMs that are gone. */
export const targetPools: Kind = {
  collection: 'targetPools',
  singular: 'targetPool',
  apis: { region: 'targetPools' },
  methods: ['get', 'list', 'aggregatedList', 'insert', 'delete'],
  firstMembers: ({ instances = [] }) => (instances as readonly string[]).map(asMember),
  derive: (world, { backends }) => ({ instances: backends.map(({ instance }) => linkTo(world, instance)) }),
  reads: { getHealth: (world, pool, { body }) => describeHealth(world, pool, parseLink(body['instance'])) },
  changes: {
    addInstance: (world, pool, { body }) => {
      attach(world, pool, sentInstances(body));
      return 0;
    },
    removeInstance: (_world, pool, { body }) => {
      remove(pool, sentInstances(body));
      return 0;
    },
  },
};

function asMember(reference: string | undefined): BackendKey {
  return { instance: parseLink(reference), ip: undefined, port: undefined };
}

function sentInstances(body: Readonly<Record<string, unknown>>): BackendKey[] {
  const { instances = [] } = body as { instances?: readonly { instance?: string }[] };
  return instances.map(({ instance }) => asMember(instance));
}

/**
 * One entry for each forwarding rule of the pool. There is none for a VM that is gone, though the pool still names it (spinnaker/spinnaker issue 1570),
 * or that is off (fog/fog-google issue 41).
 */
function describeHealth(world: World, pool: Resource, instance: string) {
  const member = pool.backends.find((one) => one.instance === instance);
  if (member === undefined) {
    throw new HttpError(
      400,
      'invalid',
      `Invalid value for field 'resource.instance': '${instance}'. Instance is not in the target pool.`,
    );
  }
  const vm = world.instances.get(instance.replace(/^zones\/([^/]+)\/instances\//, '$1/'));
  if (vm === undefined) throw noResource(world.project, instance);
  if (vm.status === 'TERMINATED') {
    const said = `The resource 'projects/${world.project}/${instance}' is not ready`;
    throw new HttpError(400, 'resourceNotReady', said);
  }
  const rules = [...world.resources.values()].filter(({ fields }) => parseLink(fields['target']) === pool.path);
  return {
    kind: 'compute#targetPoolInstanceHealth',
    healthStatus: rules.map((rule) => ({
      instance: linkTo(world, instance),
      // Of the forwarding rule, not of the VM (Compute API reference, HealthStatus, ipAddress).
      ipAddress: rule.fields['IPAddress'],
      healthState: readHealth(world, pool, pool, member),
    })),
  };
}
