import { NodeferryError } from '../core/model/problem.ts';
import type { ServiceFacts } from '../core/model/service.ts';
import type { Discovery } from '../ports/load-balancers.ts';
import type { Ports } from '../ports/ports.ts';

/** What is behind Services, cached for all steps of a worker. */
interface DiscoveryCache {
  /**
   * What was discovered within the last minute; Services that are new or have changed are discovered now. A discovery that is under way is joined, however
   * long it takes: with hundreds of target groups it takes minutes, because its calls queue with all others.
   */
  find(services: readonly ServiceFacts[], providerIds: readonly string[]): Promise<Discovery>;
  /** The same without the cache; also reports which of the Services `beside` could not be watched. */
  findAnew(
    services: readonly ServiceFacts[],
    beside: readonly ServiceFacts[],
    providerIds: readonly string[],
  ): Promise<Discovery>;
  /**
   * What is cached at this moment for these Services as they are, until it has been discovered again; undefined unless that is complete. Makes no call
   * and takes no time.
   */
  recall(services: readonly ServiceFacts[]): Discovery | undefined;
  /** What was discovered last for these Services as they are, however long ago; undefined unless that is complete. A failure since then changes nothing. */
  recallLast(services: readonly ServiceFacts[]): Discovery | undefined;
  /** Uses what was discovered; when part of it no longer exists, it is discovered again the next time. */
  using<T>(services: readonly ServiceFacts[], body: () => Promise<T>): Promise<T>;
}

/** How long the target groups of a load balancer are cached, ms, from the moment when they were discovered. */
const knownForMs = 60_000;

interface Known {
  readonly service: string;
  /** What the Service said then about where it can be reached. */
  readonly said: string;
  readonly coming: Promise<Discovery>;
  /** When that was complete, epoch ms; absent while it is under way. */
  at?: number;
  /** The discovery, once it is complete; until then the one before it. */
  found?: Discovery;
}

/** Caches by Service, so that runs with different Services don't evict each other's entries. */
export function createDiscoveryCache({ clock, loadBalancers }: Pick<Ports, 'clock' | 'loadBalancers'>): DiscoveryCache {
  const known = new Map<string, Known>();
  const last = new Map<string, { readonly said: string; readonly found: Discovery }>();

  /** Many steps find the same discovery expired at the same moment: the first one discovers, the others wait for it. */
  async function remember(services: readonly ServiceFacts[], coming: Promise<Discovery>): Promise<Discovery> {
    const entries = services.map((service): Known => {
      const found = entryOf(service)?.found;
      return { service: service.key, said: say(service), coming, ...(found === undefined ? {} : { found }) };
    });
    for (const entry of entries) known.set(entry.service, entry);
    try {
      const found = await coming;
      for (const entry of entries) {
        entry.at = clock.now();
        entry.found = found;
        last.set(entry.service, { said: entry.said, found: ownOf(entry.service, found) });
      }
      return found;
    } catch (error) {
      forget(entries);
      throw error;
    }
  }

  function forget(entries: readonly Known[]): void {
    for (const entry of entries) if (known.get(entry.service) === entry) known.delete(entry.service);
  }

  function entryOf(service: ServiceFacts): Known | undefined {
    const entry = known.get(service.key);
    return entry?.said === say(service) ? entry : undefined;
  }

  function isStale(entry: Known | undefined): boolean {
    return entry === undefined || (entry.at !== undefined && entry.at < clock.now() - knownForMs);
  }

  return {
    find: async (services, providerIds) => {
      const missing = services.filter((service) => isStale(entryOf(service)));
      const discovered =
        missing.length === 0 ? undefined : remember(missing, loadBalancers.discover(missing, { providerIds }));
      const entries = services.flatMap(({ key }) => known.get(key) ?? []);
      await discovered;
      return merge(await Promise.all(entries.map(async ({ service, coming }) => ownOf(service, await coming))));
    },
    findAnew: async (services, beside, providerIds) =>
      await remember(services, loadBalancers.discover(services, { beside, anew: true, providerIds })),
    recall: (services) => {
      const found = services.map((service) => {
        const discovery = entryOf(service)?.found;
        return discovery === undefined ? undefined : ownOf(service.key, discovery);
      });
      return found.every((own) => own !== undefined) ? merge(found) : undefined;
    },
    recallLast: (services) => {
      const found = services.map((service) => {
        const entry = last.get(service.key);
        return entry?.said === say(service) ? entry.found : undefined;
      });
      return found.every((own) => own !== undefined) ? merge(found) : undefined;
    },
    using: async (services, body) => {
      const entries = services.flatMap(({ key }) => known.get(key) ?? []);
      try {
        return await body();
      } catch (error) {
        if (error instanceof NodeferryError && error.problem.code === 'Conflict') forget(entries);
        throw error;
      }
    },
  };
}

/** The part of a discovery of several Services that is about one of them. */
function ownOf(key: string, { groups, unsupported }: Discovery): Discovery {
  const isOwn = ({ service }: { readonly service: string }) => service === key;
  return { groups: groups.filter(isOwn), unsupported: unsupported.filter(isOwn) };
}

function merge(discoveries: readonly Discovery[]): Discovery {
  return {
    groups: discoveries.flatMap(({ groups }) => groups),
    unsupported: discoveries.flatMap(({ unsupported }) => unsupported),
  };
}

function say({ hostnames, nodePorts, podGroups, nodePortBalancers }: ServiceFacts): string {
  return JSON.stringify([hostnames, nodePorts, podGroups, nodePortBalancers]);
}
