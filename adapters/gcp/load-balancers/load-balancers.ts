import { nameOfTarget, type TargetFacts, type TargetGroupBase } from '../../../core/model/target-group.ts';
import { compareText } from '../../../core/text/format.ts';
import type { LoadBalancers } from '../../../ports/load-balancers.ts';
import { coalesce } from '../../calls/coalesce.ts';
import type { RateLimiter } from '../../calls/rate-limiter.ts';
import { type ComputeClient, createComputeClient } from '../compute-client.ts';
import type { GcpOptions } from '../options.ts';
import { discoverGroups } from './discover.ts';
import { discoverIngressGroups } from './discover-ingress.ts';
import { backendOf, discoverPodGroups } from './discover-pods.ts';
import { openDiscoverers } from './discoverer.ts';
import { podEndpoints, targetPool } from './kinds.ts';
import { mapEndpoint, mapInstance, mapPodEndpoint } from './map.ts';
import { parsePath } from './paths.ts';
import {
  type BalancerReader,
  listEndpoints,
  listInstances,
  readBackendService,
  readGroupHealth,
  readInstanceHealth,
  readTargetPool,
} from './read.ts';
import { createReadLimiter, readsPerSecond } from './read-limits.ts';

/** How the adapter works. */
interface GoogleBalancerOptions extends GcpOptions {
  /** Of the cluster: passthrough load balancers are regional. */
  readonly region: string;
  /** Reads per second. Default: `readsPerSecond`. */
  readonly ratePerSecond?: number | undefined;
  /** Of the project, at that rate. Default: one of its own. */
  readonly limiter?: RateLimiter;
}

/** Most calls for the health of VMs of a target pool that are in progress at once: the API tells it one VM at a time. */
const maxHealthCalls = 8;

/**
 * The passthrough load balancers of one region, and of all others the groups of pods and those of Ingresses. Members are told by the names of their VMs,
 * which are those of their nodes, or by the addresses of the pods. Reads of the same group at the same moment are one, and all reads respect the limiter.
 */
export function createGoogleLoadBalancers(options: GoogleBalancerOptions): LoadBalancers {
  const { clock, region, ratePerSecond = readsPerSecond } = options;
  const { limiter = createReadLimiter(clock, ratePerSecond) } = options;
  const client = createComputeClient(options);
  const queue = async () => await limiter.acquire();
  const discovererFor = openDiscoverers({ client: { ...client, queue }, region }, clock);
  /** Calls that the latest read of a group took, by its ID. */
  const costs = new Map<string, number>();
  const costOf = ({ id }: TargetGroupBase) => costs.get(id) ?? 1;
  const observation = coalesce(
    clock,
    () => limiter.queue(),
    async (group: TargetGroupBase, first) => {
      const paid = withTicket(client, limiter, first);
      const members = await readMembers({ client: paid, region }, group);
      costs.set(group.id, paid.calls());
      return members;
    },
    ({ id }) => id,
  );
  return {
    discover: async (services, { beside, anew = false } = {}) => {
      const discoverer = discovererFor(anew);
      const [ofNodes, ofPods, ofIngresses] = await Promise.all([
        discoverGroups(discoverer, services, beside),
        discoverPodGroups(discoverer, services),
        discoverIngressGroups(discoverer, services),
      ]);
      return { ...ofNodes, groups: [...ofNodes.groups, ...ofPods, ...ofIngresses] };
    },
    readTargets: async (groups, { since, first = false } = {}) => {
      const readMs = (groups.reduce((sum, group) => sum + costOf(group), 0) * 1_000) / ratePerSecond;
      const oldest = since === undefined ? {} : { since: Math.min(since, clock.now() - readMs) };
      return await Promise.all(
        groups.map(async (group) => ({ ...group, targets: await observation(group, { ...oldest, first }) })),
      );
    },
  };
}

/** A client for a caller with a ticket, which allows its first call. For each one after that it queues. */
function withTicket(client: ComputeClient, limiter: RateLimiter, first: boolean) {
  let calls = 0;
  const queue = async () => {
    calls += 1;
    if (calls > 1) await limiter.acquire(first);
  };
  return { ...client, queue, calls: () => calls };
}

async function readMembers(reader: BalancerReader, group: TargetGroupBase): Promise<readonly TargetFacts[]> {
  const { id, kind, name } = group;
  if (kind === podEndpoints) return await readPods(reader, group);
  if (kind === targetPool) return await readPoolMembers(reader, name);
  const { backends = [] } = await readBackendService(reader, id);
  const read = backends.map(async ({ group }) => {
    const path = parsePath(group);
    if (!path.includes('/networkEndpointGroups/')) return await readGroupMembers(reader, id, path, group ?? '');
    return (await listEndpoints(reader, path)).map((endpoint) => mapEndpoint(endpoint, path, id));
  });
  return (await Promise.all(read)).flat();
}

async function readPods(reader: BalancerReader, group: TargetGroupBase): Promise<readonly TargetFacts[]> {
  const read = (group.parts ?? []).map(async (path) =>
    (await listEndpoints(reader, path)).map((endpoint) => mapPodEndpoint(endpoint, path, backendOf(group))),
  );
  return (await Promise.all(read)).flat();
}

async function readGroupMembers(
  reader: BalancerReader,
  backendService: string,
  path: string,
  url: string,
): Promise<readonly TargetFacts[]> {
  const [instances, health] = await Promise.all([
    listInstances(reader, path),
    readGroupHealth(reader, backendService, url),
  ]);
  return instances.map((instance) =>
    mapInstance(
      instance,
      health.filter((one) => parsePath(one.instance) === parsePath(instance)),
    ),
  );
}

async function readPoolMembers(reader: BalancerReader, name: string): Promise<readonly TargetFacts[]> {
  const waiting = [...((await readTargetPool(reader, name)).instances ?? [])];
  const members: TargetFacts[] = [];
  const readNext = async (): Promise<void> => {
    for (let instance = waiting.shift(); instance !== undefined; instance = waiting.shift()) {
      const health = await readInstanceHealth(reader, name, instance);
      if (health !== undefined) members.push(mapInstance(instance, health));
    }
  };
  await Promise.all(Array.from({ length: maxHealthCalls }, readNext));
  return members.toSorted((a, b) => compareText(nameOfTarget(a), nameOfTarget(b)));
}
