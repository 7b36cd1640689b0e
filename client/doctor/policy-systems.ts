import { systemClock } from '../../adapters/clock/system-clock.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ProviderPools } from '../../ports/provider.ts';
import { openCluster } from '../../wiring/cluster.ts';
import { googleFromEnvironment } from '../../wiring/environment.ts';
import { openNodePools } from '../../wiring/node-pools.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { type Check, skipChecks } from './check.ts';
import { checkCloudPermissions, checkPool, checkTarget } from './cloud.ts';
import { checkApiServer, checkPermissions, type ExaminedCluster } from './cluster.ts';
import { checkLeftovers } from './leftovers.ts';
import { explainFailure, patienceMs, type TimeLimit, withTimeLimit } from './time-limit.ts';

/**
 * gRPC says why it could not connect only when a call has taken its time, ms. That has to be while the doctor still waits, and before the call a client
 * is loaded and credentials are looked for.
 */
const callTimeoutMs = 4_000;

/** The systems that the policy is about. */
interface PolicySystems {
  readonly cluster: ExaminedCluster;
  readonly pools: ProviderPools;
  readonly clock: Clock;
}

/** What the checks of these systems have to know. */
interface SystemsQuestion {
  /** Undefined for a policy that is not valid: only the cluster of the kubeconfig is checked then. */
  readonly policy: Policy | undefined;
  /** Names the runs that are under way on a cluster. Fails where Temporal can't say. */
  readonly readRunning: (cluster: string) => Promise<ReadonlySet<string>>;
}

/** The checks of the cluster and of the cloud, with the caller's credentials. */
export async function checkOwnSystems(options: ClusterOptions, question: SystemsQuestion): Promise<readonly Check[]> {
  const google = { ...googleFromEnvironment(process.env), callTimeoutMs };
  const pools = openNodePools({ clock: systemClock, google });
  let cluster: ReturnType<typeof openCluster>;
  try {
    cluster = openCluster(options);
  } catch (error) {
    const failed: Check = { id: 'cluster.api-server', state: 'failed', ...explainFailure(error) };
    return [failed, ...skipChecks(clusterDependents, noCluster), ...(await checkCloud(pools, question.policy))];
  }
  try {
    return await checkSystems({ cluster, pools, clock: systemClock }, question);
  } finally {
    cluster.close();
  }
}

/** The same for systems that are open. Changes nothing on them, and takes ten seconds at most. */
export async function checkSystems(systems: PolicySystems, question: SystemsQuestion): Promise<readonly Check[]> {
  const [cluster, cloud] = await Promise.all([
    withTimeLimit('The cluster', patienceMs, async (limit) => await checkCluster(limit, systems, question)),
    checkCloud(systems.pools, question.policy),
  ]);
  return [...cluster, ...cloud];
}

const clusterDependents = ['cluster.permissions', 'leftovers'] as const;
const noCluster = 'the cluster cannot be used';
const noPolicy = 'the policy is not valid';

async function checkCluster(
  limit: TimeLimit,
  systems: PolicySystems,
  { policy, readRunning }: SystemsQuestion,
): Promise<readonly Check[]> {
  const apiServer = await checkApiServer(systems.cluster, limit);
  if (apiServer.state === 'failed') return [apiServer, ...skipChecks(clusterDependents, noCluster)];
  const rest = await Promise.all([
    limit.check('cluster.permissions', async () => await checkPermissions(systems.cluster)),
    policy === undefined
      ? skipChecks(['leftovers'], noPolicy)
      : limit.check(
          'leftovers',
          async () => await checkLeftovers(systems, policy, await readRunning(policy.cluster.name)),
        ),
  ]);
  return [apiServer, ...rest.flat()];
}

async function checkCloud(pools: ProviderPools, policy: Policy | undefined): Promise<readonly Check[]> {
  if (policy === undefined) return skipChecks(['cloud.pool', 'cloud.permissions'], noPolicy);
  return await withTimeLimit(pools.traitsOf(policy.pool).title, patienceMs, async (limit) => {
    const [pool, role] = await Promise.all([
      checkPool(pools, policy, limit),
      limit.check('cloud.role', async () => await checkCloudPermissions(pools, policy)),
    ]);
    if (pool.state === 'failed')
      return [pool, ...role, ...skipChecks(['cloud.permissions'], 'the pool cannot be read')];
    return [pool, ...role, ...(await limit.check('cloud.permissions', async () => await checkTarget(pools, policy)))];
  });
}
