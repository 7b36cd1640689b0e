import { HttpError, noResource } from '../errors.ts';
import type { World } from '../world.ts';
import { aggregate } from './aggregate.ts';
import type { ComputeCall, Handler } from './call.ts';
import { describeErrors, describeGroup, describeInstance, describeMembers } from './describe.ts';
import { pageOf, parseFilter } from './filter.ts';
import { deleteInstance, deleteMember, reconcile } from './groups.ts';
import { kindHandlers } from './kinds/handlers.ts';
import { locationHandlers } from './locations.ts';
import { mutate, operationHandlers } from './operations.ts';
import type { Instance, InstanceGroup, Member } from './state.ts';

/** Handlers of Compute Engine by the names that its API reference gives the methods. */
export function computeHandlers(world: World): Readonly<Record<string, Handler>> {
  const groupOf = ({ path }: ComputeCall): InstanceGroup => {
    const group = world.groups.get(`${path['zone']}/${path['name']}`);
    if (group === undefined)
      throw noResource(world.project, `zones/${path['zone']}/instanceGroupManagers/${path['name']}`);
    return group;
  };
  const instanceOf = ({ path }: ComputeCall): Instance => {
    const instance = world.instances.get(`${path['zone']}/${path['name']}`);
    if (instance === undefined) throw noResource(world.project, `zones/${path['zone']}/instances/${path['name']}`);
    return instance;
  };

  return {
    ...locationHandlers(world),
    ...kindHandlers(world),
    ...operationHandlers(world),

    'instanceGroupManagers.get': (call) => describeGroup(world, groupOf(call)),

    'instanceGroupManagers.listManagedInstances': (call) => {
      const { items, ...next } = pageOf(describeMembers(world, groupOf(call)), call.query);
      return { managedInstances: items, ...next };
    },

    'instanceGroupManagers.listErrors': (call) => pageOf(describeErrors(world, groupOf(call)), call.query),

    'instanceGroupManagers.deleteInstances': (call) => {
      const group = groupOf(call);
      let found: Member[] = [];
      const choose = () => {
        const { instances = [], skipInstancesOnValidationError = false } = call.body as {
          instances?: readonly string[];
          skipInstancesOnValidationError?: boolean;
        };
        const members = instances.map((url) => memberOf(group, url));
        const foreign = instances.filter((_, at) => members[at] === undefined);
        if (foreign.length > 0 && !skipInstancesOnValidationError) {
          throw new HttpError(
            400,
            'invalid',
            `Invalid value for field 'instances': '${foreign[0]}'. Instance is not a member of '${group.name}'.`,
          );
        }
        found = members.filter((member) => member !== undefined);
        return 0;
      };
      return mutate(world, call, changeOf(group, 'deleteInstances'), choose, () => {
        const left = found.filter((member) => member.action !== 'DELETING');
        group.targetSize -= left.length;
        for (const member of left) deleteMember(world, group, member);
      });
    },

    'instanceGroupManagers.resize': (call) => {
      const group = groupOf(call);
      const size = Number(call.query.get('size') ?? Number.NaN);
      const check = () => {
        if (Number.isInteger(size) && size >= 0) return 0;
        throw new HttpError(400, 'invalid', `Invalid value for field 'size': '${call.query.get('size')}'.`);
      };
      return mutate(world, call, changeOf(group, 'resize'), check, () => {
        group.targetSize = size;
        reconcile(world, group);
      });
    },

    'instances.get': (call) => describeInstance(world, instanceOf(call)),

    'instances.delete': (call) => {
      const instance = instanceOf(call);
      const scope = `zones/${instance.zone}`;
      return mutate(world, call, { scope, target: `${scope}/instances/${instance.name}`, type: 'delete' }, () => {
        deleteInstance(world, instance);
        return 0;
      });
    },

    'instances.list': ({ path, query }) => {
      const here = [...world.instances.values()].filter(({ zone }) => zone === path['zone']);
      const described = here.map((one) => describeInstance(world, one));
      const { items, ...next } = pageOf(described.filter(parseFilter(query.get('filter'))), query);
      return { kind: 'compute#instanceList', items, ...next };
    },

    'instances.aggregatedList': ({ query }) => {
      const passes = parseFilter(query.get('filter'));
      // A page is filtered once it is taken: it may be empty though another one follows.
      const { items: page, ...next } = pageOf([...world.instances.values()], query);
      const found = page.filter(passes);
      const contentsOf = (scope: string) => {
        const instances = found
          .filter(({ zone }) => scope === `zones/${zone}`)
          .map((one) => describeInstance(world, one));
        return instances.length > 0 ? { instances } : undefined;
      };
      const scopes = world.zones.map((zone) => `zones/${zone}`);
      return { kind: 'compute#instanceAggregatedList', ...aggregate(world, query, scopes, contentsOf), ...next };
    },
  };
}

/**
 * A change of a managed instance group. Its operation is done "when the resize actions are scheduled", or the action on the VMs that are named (Compute
 * API reference, instanceGroupManagers.resize and deleteInstances): here nothing of it, neither the target size nor what becomes of the VMs, is seen before.
 */
function changeOf({ name, zone }: InstanceGroup, what: string) {
  const scope = `zones/${zone}`;
  return { scope, target: `${scope}/instanceGroupManagers/${name}`, type: `compute.instanceGroupManagers.${what}` };
}

/** Full URL or `zones/Z/instances/N`; a member that is being deleted is none any more. */
function memberOf(group: InstanceGroup, url: string) {
  const [, zone, name = ''] = /zones\/([^/]+)\/instances\/([^/]+)$/.exec(url) ?? [];
  const member = zone === group.zone ? group.members.get(name) : undefined;
  return member?.action === 'DELETING' ? undefined : member;
}
