import type { World } from '../../world.ts';
import type { ComputeCall } from '../call.ts';
import { pageOf } from '../filter.ts';
import { linkTo } from '../links.ts';
import type { Resource } from '../state.ts';
import { attach, remove, requireVm } from './backends.ts';
import type { Kind } from './kind.ts';

/** Unmanaged instance groups. Those of managed ones are not among them. */
export const instanceGroups: Kind = {
  collection: 'instanceGroups',
  singular: 'instanceGroup',
  apis: { zone: 'instanceGroups' },
  methods: ['get', 'list', 'aggregatedList', 'insert', 'delete'],
  derive: (world, group) => ({ size: livingMembers(world, group).length }),
  reads: {
    listInstances: (world, group, { query }) => {
      const { items, ...next } = pageOf(livingMembers(world, group), query);
      return {
        kind: 'compute#instanceGroupsListInstances',
        items: items.map(({ path, status }) => ({ instance: linkTo(world, path), status })),
        ...next,
      };
    },
  },
  changes: {
    addInstances: (world, group, call) => {
      attach(world, group, sentInstances(world, call));
      return 0;
    },
    removeInstances: (world, group, call) => {
      remove(group, sentInstances(world, call));
      return 0;
    },
    setNamedPorts: (_world, group, { body }) => {
      group.fields = { ...group.fields, namedPorts: body['namedPorts'] };
      group.revision += 1;
      return 0;
    },
  },
};

/** A VM that is deleted leaves its groups (Compute Engine documentation, "Creating groups of unmanaged instances"). */
function livingMembers(world: World, group: Resource) {
  return group.backends.flatMap(({ instance: path }) => {
    const [, zone, , name] = path.split('/');
    const vm = world.instances.get(`${zone}/${name}`);
    return vm === undefined ? [] : [{ path, status: vm.status }];
  });
}

function sentInstances(world: World, { body }: ComputeCall) {
  const { instances = [] } = body as { instances?: readonly { instance?: string }[] };
  return instances.map(({ instance }) => ({
    instance: requireVm(world, instance),
    ip: undefined,
    port: undefined,
  }));
}
