import { eksTraits } from '../../adapters/eks/traits.ts';
import { gkeTraits } from '../../adapters/gke/traits.ts';
import { createNoNodePools } from '../../adapters/no-provider/node-pools.ts';
import { noProviderTraits } from '../../adapters/no-provider/traits.ts';
import { zoneRulesOf } from '../../adapters/time-zones/zone-rules.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { learnTimes } from '../../core/schedule/needed-time.ts';
import { balancersByFamily } from '../../operations/balancers-by-family.ts';
import { poolsByProvider } from '../../operations/pools-by-provider.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Timings } from '../../ports/timings.ts';
import type { Traffic } from '../../ports/traffic.ts';
import type { Windows } from '../../ports/windows.ts';
import { createSimCluster } from './cluster-port.ts';
import { createSimFamily, createSimLoadBalancers } from './load-balancers-port.ts';
import { createSimPools } from './pools-port.ts';
import { createToyFamily, createToyPools, toyTraits } from './toy-provider.ts';
import type { World } from './world.ts';

/** The world behind all ports of the product. */
export function createSimPorts(world: World): Ports {
  return {
    clock: world.clock,
    cluster: withFaults(world, createSimCluster(world), () => world.faults.apiDown),
    pools: poolsByProvider({
      eks: { traits: eksTraits, pools: withFaults(world, createSimPools(world)) },
      gke: { traits: gkeTraits, pools: withFaults(world, world.gkePools ?? createSimPools(world)) },
      none: { traits: noProviderTraits, pools: createNoNodePools() },
      toy: {
        traits: toyTraits,
        pools: withFaults(world, createToyPools(world)),
      },
    }),
    loadBalancers: withFaults(
      world,
      balancersByFamily([createSimFamily(world), createToyFamily(createSimLoadBalancers(world))]),
    ),
    traffic: createSimTraffic(world),
    timings: withFaults(world, createSimTimings(world), () => world.faults.apiDown),
    windows: createSimWindows(world),
  };
}

/** What is kept where every worker finds it: the world has one cluster. */
function createSimTimings({ timings }: World): Timings {
  return {
    read: async () => timings.learned,
    record: async (run, added) => {
      if (timings.runs.includes(run)) return;
      timings.runs.push(run);
      timings.learned = learnTimes(timings.learned, added);
    },
  };
}

function createSimWindows({ calendars }: World): Windows {
  return {
    zoneOf: zoneRulesOf,
    readCalendar: async (url) => {
      const events = calendars[url];
      if (events === undefined) throw new NodeferryError({ code: 'InvalidPolicy', message: `${url}: 404 Not Found` });
      return events;
    },
  };
}

function withFaults<T extends object>(world: World, port: T, isDown: () => boolean = () => false): T {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'object' && member !== null) return withFaults(world, member, isDown);
      // The guarded actions are those of the proxy.
      if (typeof member !== 'function' || name === 'guarded') return member;
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

/** Adapters retry a throttled call before they fail: the SDKs for AWS three times, the connection to Kubernetes five. */
const adapterTries = 3;

function isRefused(world: World): boolean {
  return Array.from({ length: adapterTries }, () => world.random()).every((drawn) => drawn < world.faults.throttled);
}

/** How every lost request of the world fails. */
export const howLost = '10.0.0.9: no answer after 1000 ms';

function createSimTraffic(world: World): Traffic {
  return {
    watch: ([probe]) => {
      const start = { ...world.traffic };
      const counts = () => {
        const lost = Math.ceil(world.traffic.lost - start.lost) + (world.traffic.cut - start.cut);
        const sent = Math.floor(world.traffic.sent - start.sent);
        const name = probe?.name ?? 'none';
        return {
          sent,
          lost,
          slow: 0,
          sentBy: { [name]: sent },
          lostBy: { [name]: lost },
          failureBy: lost === 0 ? {} : { [name]: howLost },
        };
      };
      return { counts, stop: async () => counts() };
    },
  };
}
