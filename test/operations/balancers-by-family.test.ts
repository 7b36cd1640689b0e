import { describe, expect, test } from 'vitest';
import type { ServiceFacts } from '../../core/model/service.ts';
import type { TargetGroupBase } from '../../core/model/target-group.ts';
import { nameOfTarget } from '../../core/model/target-group.ts';
import { balancersByFamily } from '../../operations/balancers-by-family.ts';
import type { LoadBalancerFamily } from '../../ports/load-balancers.ts';
import { aGroup, anUnsupported, aService } from '../core/support/facts.ts';

const serviceAt = (app: string, ...hostnames: string[]): ServiceFacts => aService(app, [], { hostnames });

/** A family whose nodes and addresses begin with its name; it records how it is asked. */
function familyOf(name: string) {
  const asked: unknown[] = [];
  const family: LoadBalancerFamily = {
    title: name.toUpperCase(),
    kinds: [`${name}-group`],
    hasNode: (providerId) => providerId.startsWith(name),
    claims: ({ hostnames }) => hostnames.some((address) => address.startsWith(name)),
    discover: async (services, { beside = [], ...options } = {}) => {
      const keysOf = (all: readonly ServiceFacts[]) => all.map(({ key }) => key);
      asked.push({ discover: keysOf(services), beside: keysOf(beside), ...options });
      return {
        groups: services.map(({ key }) => groupOf(name, key.replace('default/', ''))),
        unsupported: beside.map(({ key }) => ({ ...anUnsupported('x'), service: key })),
      };
    },
    readTargets: async (groups, options) => {
      asked.push({ read: groups.map(({ id }) => id), ...options });
      return groups.map((group) => ({
        ...group,
        targets: [
          { kind: 'instance' as const, instanceId: `of-${name}`, port: 1, zone: 'a', state: 'healthy' as const },
        ],
      }));
    },
  };
  return { family, asked };
}

function groupOf(family: string, app: string): TargetGroupBase {
  const { targets: _none, ...group } = aGroup(app, [], { id: `${family}/${app}`, kind: `${family}-group` });
  return group;
}

function setUp() {
  const [red, blue] = [familyOf('red'), familyOf('blue')];
  return { red, blue, balancers: balancersByFamily([red.family, blue.family]) };
}

describe('what is behind Services', () => {
  test('is asked of the cloud that the nodes are in, and of no other', async () => {
    const { red, blue, balancers } = setUp();
    const services = [serviceAt('web', 'blue.example'), serviceAt('api', 'red.example')];
    const { groups, unsupported } = await balancers.discover(services, { providerIds: ['blue://1', ''] });
    expect(groups.map(({ id }) => id)).toEqual(['blue/web']);
    expect(red.asked).toEqual([]);
    expect(blue.asked).toHaveLength(1);
    expect(unsupported).toMatchObject([
      {
        service: 'default/api',
        why: 'unknown-load-balancer',
        detail: 'no load balancer of BLUE has an address like red.example',
      },
    ]);
  });

  test('is asked of the family that claims a Service, where nodes are in several clouds', async () => {
    const { balancers } = setUp();
    const services = [serviceAt('web', 'blue.example'), serviceAt('api', 'red.example')];
    const { groups, unsupported } = await balancers.discover(services, { providerIds: ['blue://1', 'red://2'] });
    expect(groups.map(({ id }) => id).toSorted()).toEqual(['blue/web', 'red/api']);
    expect(unsupported).toEqual([]);
  });

  test('is asked for a Service without an address if an Ingress names target groups of it', async () => {
    const balancers = balancersByFamily([{ ...familyOf('blue').family, claims: () => true }]);
    const ofIngress = (app: string, ...groups: string[]) =>
      aService(app, [], {
        type: 'NodePort',
        hostnames: [],
        nodePortBalancers: [{ by: 'Ingress default/shop', groups, hint: '' }],
      });
    const services = [ofIngress('web', 'k8s-be-30080'), ofIngress('api'), aService('plain', [], { type: 'NodePort' })];
    const { groups, unsupported } = await balancers.discover(services, { providerIds: ['blue://1'] });
    expect(groups.map(({ id }) => id)).toEqual(['blue/web']);
    expect(unsupported).toEqual([]);
  });

  test('is not said to be unsupported where nobody claims such a Service: SVC-027 tells of it', async () => {
    const { balancers } = setUp();
    const nodePortBalancers = [{ by: 'Ingress default/shop', groups: ['k8s-be-30080'], hint: '' }];
    const web = aService('web', [], { type: 'NodePort', hostnames: [], nodePortBalancers });
    expect(await balancers.discover([web])).toEqual({ groups: [], unsupported: [] });
  });

  test('is asked as thoroughly as the caller wants', async () => {
    const { red, balancers } = setUp();
    const options = { anew: true, providerIds: ['red://1'] };
    const beside = [serviceAt('old', 'red.example'), serviceAt('far', 'green.example')];
    const { groups, unsupported } = await balancers.discover([serviceAt('web', 'red.example')], { ...options, beside });
    expect(red.asked).toEqual([{ discover: ['default/web'], beside: ['default/old'], ...options }]);
    expect(groups.map(({ service }) => service)).toEqual(['default/web']);
    expect(unsupported.map(({ service }) => service)).toEqual(['default/old', 'default/far']);
  });

  test('is unsupported where the nodes are in no cloud that is configured, and nobody is asked', async () => {
    const { red, blue, balancers } = setUp();
    const found = await balancers.discover([serviceAt('web', 'red.example')], { providerIds: ['kind://1'] });
    expect(found).toMatchObject({
      groups: [],
      unsupported: [{ detail: 'the nodes of the cluster are in no cloud that is configured' }],
    });
    expect([red.asked, blue.asked]).toEqual([[], []]);
  });

  test('is nothing for a Service without an address, or of another type', async () => {
    const { red, balancers } = setUp();
    const services = [serviceAt('new'), { ...serviceAt('inside', 'red.example'), type: 'ClusterIP' as const }];
    expect(await balancers.discover(services, { providerIds: ['red://1'] })).toEqual({ groups: [], unsupported: [] });
    expect(red.asked).toEqual([]);
  });
});

describe('target states', () => {
  test('are read by the family that found the group, as freshly as asked, and come in the order of the groups', async () => {
    const { red, blue, balancers } = setUp();
    const groups = [groupOf('blue', 'web'), groupOf('red', 'api'), groupOf('blue', 'shop')];
    const read = await balancers.readTargets(groups, { since: 7, first: true });
    expect(read.map(({ id, targets }) => [id, targets.map(nameOfTarget).join()])).toEqual([
      ['blue/web', 'of-blue'],
      ['red/api', 'of-red'],
      ['blue/shop', 'of-blue'],
    ]);
    expect(red.asked).toEqual([{ read: ['red/api'], since: 7, first: true }]);
    expect(blue.asked).toEqual([{ read: ['blue/web', 'blue/shop'], since: 7, first: true }]);
  });

  test('of a group that nobody knows are an error', async () => {
    await expect(setUp().balancers.readTargets([groupOf('green', 'web')])).rejects.toThrow('green/web');
  });
});
