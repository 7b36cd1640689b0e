import type { compute_v1 } from '@googleapis/compute';
import type { Clock } from '../../../ports/clock.ts';
import { once } from '../../calls/once.ts';
import { rememberReads } from '../../calls/remember.ts';
import { hasCode } from '../retry.ts';
import { parsePath } from './paths.ts';
import { type BalancerReader, listBackendServices, readBackendService, readHealthCheck } from './read.ts';

/** What one discovery reads with: however many Services there are, their backend services take one list, and known health checks no call. */
export interface Discoverer {
  readonly reader: BalancerReader;
  /** Listed at the first use. */
  list(): Promise<readonly compute_v1.Schema$BackendService[]>;
  /** The backend service with that path. @throws NodeferryError Conflict when it is gone */
  backendServiceAt(path: string): Promise<compute_v1.Schema$BackendService>;
  /** The first of the health checks; undefined when there is none. */
  healthCheckOf(urls: readonly string[] | null | undefined): Promise<compute_v1.Schema$HealthCheck | undefined>;
}

/**
 * How long health checks are remembered, ms. They say how long to wait at most; the end of the wait is observed, not computed. So they may be older than
 * the list of load balancers.
 */
const healthChecksKnownForMs = 10 * 60_000;

/** Opens discoveries that share what they remember. One that is made anew uses nothing from earlier ones. */
export function openDiscoverers(reader: BalancerReader, clock: Clock): (anew: boolean) => Discoverer {
  const healthCheck = rememberReads(clock, async (url: string) => await readHealthCheck(reader, [url]));
  return (anew) => {
    const since = clock.now() - (anew ? 0 : healthChecksKnownForMs);
    const list = once(async () => await listBackendServices(reader));
    // A role from before pods were targets may read each, but not list them.
    const listed = once(async () => {
      try {
        return await list();
      } catch (error) {
        if (hasCode(error, 'Forbidden')) return [];
        throw error;
      }
    });
    return {
      reader,
      list,
      // One that was created since the list was made is not in it.
      backendServiceAt: async (path) =>
        (await listed()).find(({ selfLink }) => parsePath(selfLink) === path) ??
        (await readBackendService(reader, path)),
      healthCheckOf: async (urls) => {
        const url = urls?.[0];
        return url === undefined ? undefined : await healthCheck(url, url, since);
      },
    };
  };
}
