import { HttpError, noResource } from '../errors.ts';
import { later, randomId, timestamp, type World } from '../world.ts';
import { describeErrors, describeGroup, describeInstance, describeMembers, describeOperation } from './describe.ts';
import { pageOf, parseFilter } from './filter.ts';
import { deleteInstance, deleteMember } from './groups.ts';
import type { ComputeOperation, Instance, InstanceGroup } from './state.ts';

/** One call: the parts of its path by name, its query, and its body. */
export interface ComputeCall {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

type Handler = (call: ComputeCall) => object;

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
    'instanceGroupManagers.get': (call) => describeGroup(world, groupOf(call)),

    'instanceGroupManagers.listManagedInstances': (call) => {
      const { items, ...next } = pageOf(describeMembers(world, groupOf(call)), call.query);
      return { managedInstances: items, ...next };
    },

    'instanceGroupManagers.listErrors': (call) => pageOf(describeErrors(world, groupOf(call)), call.query),

    'instanceGroupManagers.deleteInstances': (call) => {
      const group = groupOf(call);
      const target = `zones/${group.zone}/instanceGroupManagers/${group.name}`;
      return mutate(world, call, group.zone, target, 'compute.instanceGroupManagers.deleteInstances', () => {
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
        const found = members.filter((member) => member !== undefined);
        group.targetSize -= found.length;
        for (const member of found) deleteMember(world, group, member);
      });
    },

    'instances.get': (call) => describeInstance(world, instanceOf(call)),

    'instances.delete': (call) => {
      const instance = instanceOf(call);
      const target = `zones/${instance.zone}/instances/${instance.name}`;
      return mutate(world, call, instance.zone, target, 'delete', () => deleteInstance(world, instance));
    },

    'instances.aggregatedList': ({ query }) => {
      const passes = parseFilter(query.get('filter'));
      const { items: found, ...next } = pageOf([...world.instances.values()].filter(passes), query);
      const items = Object.fromEntries(
        world.zones.map((zone) => {
          const instances = found.filter((one) => one.zone === zone).map((one) => describeInstance(world, one));
          const warning = {
            code: 'NO_RESULTS_ON_PAGE',
            message: `There are no results for scope 'zones/${zone}' on this page.`,
          };
          return [`zones/${zone}`, instances.length > 0 ? { instances } : { warning }];
        }),
      );
      return { kind: 'compute#instanceAggregatedList', items, ...next };
    },

    'zoneOperations.get': (call) => describeOperation(world, operationOf(world, call)),
  };
}

/** Full URL or `zones/Z/instances/N`; a member that is being deleted is none any more. */
function memberOf(group: InstanceGroup, url: string) {
  const [, zone, name = ''] = /zones\/([^/]+)\/instances\/([^/]+)$/.exec(url) ?? [];
  const member = zone === group.zone ? group.members.get(name) : undefined;
  return member?.action === 'DELETING' ? undefined : member;
}

function operationOf(world: World, { path }: ComputeCall): ComputeOperation {
  const operation = world.computeOperations.get(path['name'] ?? '');
  if (operation === undefined || operation.zone !== path['zone']) {
    throw noResource(world.project, `zones/${path['zone']}/operations/${path['name']}`);
  }
  return operation;
}

/** Changes something once for each request ID (Compute API reference, parameter `requestId`: a UUID; the zero UUID is not supported). */
function mutate(world: World, { query }: ComputeCall, zone: string, target: string, type: string, apply: () => void) {
  const requestId = query.get('requestId') ?? undefined;
  if (requestId !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId)) {
    throw new HttpError(400, 'invalid', `Invalid value for field 'requestId': '${requestId}'.`);
  }
  const known = requestId === undefined ? undefined : world.requestIds.get(requestId);
  if (known !== undefined) return describeOperation(world, known);
  apply();
  const operation: ComputeOperation = {
    name: `operation-${world.clock.now()}-${randomId(world, 12)}`,
    id: randomId(world, 19),
    zone,
    type,
    target,
    requestId,
    startedAt: timestamp(world),
    status: 'RUNNING',
    endedAt: undefined,
  };
  world.computeOperations.set(operation.name, operation);
  if (requestId !== undefined) world.requestIds.set(requestId, operation);
  later(world, world.delays.computeOperationMs, () => {
    operation.status = 'DONE';
    operation.endedAt = timestamp(world);
  });
  return describeOperation(world, operation);
}
