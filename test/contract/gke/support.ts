import './tls-roots.ts';
import { setImmediate } from 'node:timers/promises';
import { createGkeNodePools } from '../../../adapters/gke/node-pools.ts';
import type { PoolRef } from '../../../core/model/pool.ts';
import type { TargetPolicy } from '../../../core/policy/policy.ts';
import { type ManualClock, manualClock } from '../../../lab/aws/clock.ts';
import { certificate, key } from '../../../lab/certificates.ts';
import type { ClusterSeed } from '../../../lab/gcp/seed.ts';
import { type SimulatedGcp, startSimulatedGcp } from '../../../lab/gcp/server.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ManagedNodePools } from '../../../ports/node-pools.ts';

/** A simulated Google on a clock of its own, and the adapter as it runs in production: over TLS, with credentials from the metadata server. */
export interface GkeBench {
  readonly gcp: SimulatedGcp;
  readonly cloudClock: ManualClock;
  readonly pools: ManagedNodePools;
  /** Another worker: the same adapter, which remembers nothing of the first. */
  readonly restart: () => ManagedNodePools;
  readonly web: PoolRef;
}

const autoscaling = { enabled: true, minNodeCount: 1, maxNodeCount: 4 };
const management = { autoUpgrade: true, autoRepair: true };

/** `web` has four instances in two zones, at least two and at most eight; `other` has two. */
export const seededPools = [
  {
    name: 'web',
    initialNodeCount: 2,
    autoscaling,
    management,
    config: { machineType: 'e2-medium', labels: { tier: 'web' } },
  },
  { name: 'other', initialNodeCount: 1, autoscaling, management, config: { machineType: 'e2-medium' } },
] as const satisfies ClusterSeed['pools'];

/** What all benches of a test file share: GKE's client takes a second to start, and its server half a second. */
let shared: { readonly gcp: SimulatedGcp; readonly pools: ManagedNodePools } | undefined;
let cloudClock = manualClock();

/** The adapter's sleeps move the cloud's clock on, so that no test waits. */
const clock: Clock = {
  now: () => cloudClock.now(),
  async sleep(ms) {
    cloudClock.advance(ms);
    await setImmediate();
  },
};

/** Opens a bench with a cluster `prod` that has those pools, anew for each test. */
export async function openBench(
  cluster: Partial<ClusterSeed> = {},
  permissions?: readonly string[],
): Promise<GkeBench> {
  cloudClock = manualClock(Date.now());
  const seed = { name: 'prod', pools: seededPools, ...cluster };
  const options = { clusters: [seed], clock: cloudClock, ...(permissions && { permissions }) };
  if (shared === undefined) {
    const gcp = await startSimulatedGcp({ ...options, tls: { certificate, key } });
    process.env['GCE_METADATA_HOST'] = gcp.metadataHost;
    process.env['METADATA_SERVER_DETECTION'] = 'assume-present';
    shared = { gcp, pools: createPools(gcp) };
  } else shared.gcp.reset(options);
  const { gcp, pools } = shared;
  return {
    gcp,
    cloudClock,
    pools,
    restart: () => createPools(gcp),
    web: { cluster: 'prod', region: seed.location ?? 'europe-west1', provider: 'gke', name: 'web' },
  };
}

function createPools(gcp: SimulatedGcp): ManagedNodePools {
  return createGkeNodePools({
    clock,
    project: 'lab-project',
    maxAttempts: 3,
    gkeEndpoint: { host: 'localhost', port: gcp.gkePort },
    computeUrl: `${gcp.computeUrl}/`,
  });
}

/** A target that changes nothing but the name and the version. */
export const target: TargetPolicy = {
  poolName: 'web-new',
  version: '1.36',
  releaseVersion: undefined,
  launchTemplateVersion: undefined,
};

/** Calls of one method that have arrived. */
export function calls({ requests }: SimulatedGcp, method: string) {
  return requests.filter((call) => call.method === method);
}

/** A pool of `prod` as the cloud has it. */
export function poolIn({ model }: SimulatedGcp, name: string) {
  const pool = model.clusters.get('prod')?.pools.get(name);
  if (pool === undefined) throw new Error(`no pool ${name}`);
  return pool;
}
