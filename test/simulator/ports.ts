import { NodeferryError } from '../../core/model/problem.ts';
import type { ServiceFacts } from '../../core/model/service.ts';
import type { TargetFacts, TargetGroupFrame } from '../../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../../core/model/unsupported-service.ts';
import { isLopsided } from '../../core/plan/balance.ts';
import type { LoadBalancers } from '../../ports/load-balancers.ts';
import type { NodePools } from '../../ports/node-pools.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Traffic } from '../../ports/traffic.ts';
import { createSimCluster } from './cluster-port.ts';
import { fillPool, poolNamed, removePool, terminate } from './pools.ts';
import type { World } from './world.ts';

/** The world behind all ports of the product. */
export function createSimPorts(world: World): Ports {
  return {
    clock: world.clock,
    cluster: withFaults(world, createSimCluster(world), () => world.faults.apiDown),
    pools: withFaults(world, createSimPools(world)),
    loadBalancers: withFaults(world, createSimLoadBalancers(world)),
    traffic: createSimTraffic(world),
  };
}

function withFaults<T extends object>(world: World, port: T, isDown: () => boolean = () => false): T {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        if (isDown()) {
          throw new NodeferryError({ code: 'ClusterUnreachable', message: `${String(name)}: connect ECONNREFUSED` });
        }
        if (isRefused(world)) {
          throw new NodeferryError(
            { code: 'Throttled', message: `${String(name)}: Rate exceeded` },
            { retryAfterMs: 500 },
          );
        }
        const result: unknown = await member.apply(target, args);
        world.changed();
        return structuredClone(result);
      };
    },
  });
}

/** Adapters try a throttled call again before they give up: the SDKs for AWS three times, the connection to Kubernetes five. */
const adapterTries = 3;

function isRefused(world: World): boolean {
  return Array.from({ length: adapterTries }, () => world.random()).every((drawn) => drawn < world.faults.throttled);
}

function createSimPools(world: World): NodePools {
  const facts = (name: string) => {
    const { token: _token, suspended: _suspended, name: _name, ...pool } = poolNamed(world, name);
    const ref = { cluster: 'sim', region: 'eu-west-1', name };
    const held = _suspended.length === 0 ? {} : { held: [..._suspended] };
    return { ...pool, ...held, ref, instances: instancesOf(name) };
  };
  const instancesOf = (name: string) =>
    world.instances
      .filter((one) => one.pool === name && one.state !== 'terminated')
      .map(({ instanceId, zone, state }) => ({ instanceId, zone, state }));
  return {
    describePool: async (ref) => facts(ref.name),
    findPool: async (ref) => (world.pools.some((pool) => pool.name === ref.name) ? facts(ref.name) : undefined),
    findReplacements: async ({ name }) =>
      world.pools.filter((pool) => pool.createdBy !== undefined && pool.name !== name).map((pool) => facts(pool.name)),
    createReplacement: async ({ source, target, size, run, token }) => {
      const existing = world.pools.find((pool) => pool.name === target.poolName);
      if (existing?.token === token) return;
      if (existing !== undefined) {
        throw new NodeferryError({ code: 'ProviderRefused', message: `node group ${target.poolName} exists already` });
      }
      const old = poolNamed(world, source.name);
      const pool = {
        ...old,
        name: target.poolName,
        version: target.version ?? old.version,
        status: 'creating' as const,
        desiredSize: size,
        createdBy: run,
        token,
        problems: [],
        suspended: [],
      };
      world.pools.push(pool);
      fillPool(world, pool);
    },
    holdRebalancing: async (ref) => {
      const pool = poolNamed(world, ref.name);
      pool.suspended = ['AZRebalance'];
      return ['AZRebalance'];
    },
    releaseRebalancing: async (ref, suspended) => {
      const pool = poolNamed(world, ref.name);
      const lopsided = isLopsided(instancesOf(ref.name), pool.zones);
      if (!lopsided) pool.suspended = pool.suspended.filter((name) => !suspended.includes(name));
      return lopsided ? [`pool ${ref.name}: AZRebalance stays suspended`] : [];
    },
    observeInstances: async (ref) => instancesOf(ref.name),
    terminateInstance: async (ref, instanceId) => {
      const instance = world.instances.find((one) => one.instanceId === instanceId);
      if (instance === undefined || instance.state === 'terminated' || instance.state === 'terminating') {
        return { outcome: 'already' };
      }
      if (instance.pool !== ref.name) {
        throw new NodeferryError({ code: 'NodeNotOurs', message: `${instanceId} belongs to ${instance.pool}` });
      }
      poolNamed(world, ref.name).desiredSize -= 1;
      terminate(world, instance);
      return { outcome: 'terminating' };
    },
    observeInstance: async (_ref, instanceId) =>
      world.instances.find((one) => one.instanceId === instanceId)?.state ?? 'terminated',
    deletePool: async (ref, { onlyIfCreatedBy }) => {
      const pool = world.pools.find((one) => one.name === ref.name);
      if (pool === undefined) return;
      if (onlyIfCreatedBy !== undefined && pool.createdBy !== onlyIfCreatedBy) {
        throw new NodeferryError({
          code: 'NodeNotOurs',
          message: `node group ${ref.name} was not made by ${onlyIfCreatedBy}`,
        });
      }
      removePool(world, pool);
    },
  };
}

function createSimLoadBalancers(world: World): LoadBalancers {
  const groups = (services: readonly string[]): TargetGroupFrame[] =>
    world.services
      .filter((service) => service.type === 'LoadBalancer' && services.includes(service.key))
      .map((service) => ({
        id: `tg/${service.key}`,
        name: `k8s-${service.key.replace('/', '-')}`,
        kind: 'elbv2-instance',
        loadBalancer: `nlb/${service.key}`,
        service: service.key,
        controller: service.controller,
        crossZone: service.crossZone,
        zones: [...new Set(world.instances.map((one) => one.zone))],
        deregistrationDelayMs: world.delays.deregistration,
        terminatesConnectionsAfterDelay: false,
        terminatesUnhealthyConnections: false,
        healthCheck: {
          protocol: 'HTTP',
          port: String(service.healthCheckNodePort),
          intervalMs: world.delays.healthInterval,
          timeoutMs: 2_000,
          healthyThreshold: world.delays.healthThreshold,
          unhealthyThreshold: world.delays.healthThreshold,
        },
      }));
  const targetsOf = (key: string): TargetFacts[] =>
    (world.services.find((service) => service.key === key)?.targets ?? [])
      .filter((target) => target.listed)
      .map((target) => ({
        instanceId: target.instanceId,
        port: 30_080,
        zone: world.instances.find((one) => one.instanceId === target.instanceId)?.zone,
        state: target.state,
      }));
  return {
    discover: async (services: readonly ServiceFacts[], { beside = [] } = {}) => {
      const classic = world.services.filter((service) => service.classic === true).map((service) => service.key);
      return {
        groups: groups(services.map((service) => service.key).filter((key) => !classic.includes(key))),
        unsupported: [...services, ...beside]
          .filter((service) => classic.includes(service.key))
          .map(unknownLoadBalancer),
      };
    },
    readTargets: async (known) => known.map((group) => ({ ...group, targets: targetsOf(group.service) })),
  };
}

function unknownLoadBalancer({ key, hostnames }: ServiceFacts): UnsupportedServiceFacts {
  return {
    service: key,
    why: 'unknown-load-balancer',
    detail: `no load balancer has the address ${hostnames.join(', ')}`,
    hint: 'Move it to a Network Load Balancer.',
  };
}

function createSimTraffic(world: World): Traffic {
  return {
    watch: () => {
      const start = { ...world.traffic };
      const counts = () => ({
        sent: Math.floor(world.traffic.sent - start.sent),
        lost: Math.ceil(world.traffic.lost - start.lost) + (world.traffic.cut - start.cut),
        slow: 0,
      });
      return { counts, stop: async () => counts() };
    },
  };
}
