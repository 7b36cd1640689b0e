import { systemClock } from '../../adapters/clock/system-clock.ts';
import { readClusterName } from '../../adapters/kubernetes/kubeconfig.ts';
import { noProvider } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import { openCluster, providerOfPool } from '../../wiring/cluster.ts';
import { openBalancersOf } from '../../wiring/load-balancers.ts';
import { openNodePools } from '../../wiring/node-pools.ts';
import { type ProviderName, providers } from '../../wiring/providers.ts';
import { poolUpgradeId } from '../../workflows/messages.ts';
import { type CleanupTarget, cleanUp, findLeftoversOf } from '../cleanup.ts';
import { nameCluster } from '../cluster-name.ts';
import { type ClusterOptions, clusterOptionsOf } from '../cluster-options.ts';
import { connectTemporal, operatorName } from '../connect.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { type OutputFormat, printData, printProgress } from '../output/print.ts';
import { styleFor } from '../output/style.ts';
import { formatRunTarget, type RunTarget } from '../run-target.ts';
import { renderCleanup } from '../view/cleanup.ts';

/** Options of `cleanup`. */
export interface CleanupOptions extends ClusterOptions {
  readonly run: string | undefined;
  readonly region: string | undefined;
  /** Project of Google Cloud. */
  readonly project: string | undefined;
  /** Which provider is asked for the pool; that of its nodes, or of the cluster's, unless given. */
  readonly provider: ProviderName | undefined;
  /** Do it. Otherwise only show what would be done. */
  readonly yes: boolean;
  /** Evict pods although load balancers that may send to them can't be asked. */
  readonly evictUnasked: boolean;
  readonly output: OutputFormat;
}

/** Shows, or removes, what a terminated or reset run has left over. Works without Temporal, but asks it if it answers. */
export async function cleanupCommand(target: RunTarget, options: CleanupOptions): Promise<ExitCode> {
  const cluster = openCluster(clusterOptionsOf(options));
  try {
    const provider = options.provider ?? providerOfPool((await cluster.observe()).nodes, target.pool);
    return await cleanUpIn(cluster, target, { ...options, provider });
  } finally {
    cluster.close();
  }
}

async function cleanUpIn(
  cluster: Cluster,
  target: RunTarget,
  options: CleanupOptions & { readonly provider: ProviderName },
): Promise<ExitCode> {
  requireSameCluster(target, options);
  const where = locate(target, options);
  const clock = systemClock;
  const pools = openNodePools({ clock });
  const systems = { cluster, pools, openBalancers: openBalancersOf(where.region, clock), clock };
  const name = formatRunTarget(target);
  await requireNoRun(target);
  if (!options.yes) {
    const plan = await findLeftoversOf(systems, where);
    printData(options.output, plan, () => renderCleanup(name, plan, styleFor(process.stdout)).join('\n'));
    if (plan.actions.length === 0)
      return plan.stays.length + plan.waits.length === 0 ? exitCodes.ok : exitCodes.stalled;
    printProgress('\nNothing was changed. To do it, give the same command with --yes.');
    return exitCodes.stalled;
  }
  const left = await cleanUp(systems, where, `cleanup-${operatorName()}`, ({ what, problem }) =>
    printProgress(problem === undefined ? `done    ${what}` : `failed  ${what}: ${problem}`),
  );
  printData(options.output, left, () => renderCleanup(name, left, styleFor(process.stdout)).join('\n'));
  if (left.actions.length > 0 || left.settling) return exitCodes.failed;
  return left.stays.length + left.waits.length === 0 ? exitCodes.ok : exitCodes.stalled;
}

/**
 * A kubeconfig of the cloud's own tools says which cluster it is. Cleaning up another than was named would not see the lock of its runs.
 * @throws NodeferryError InvalidArgument
 */
function requireSameCluster(
  { cluster }: RunTarget,
  options: CleanupOptions & { readonly provider: ProviderName },
): void {
  const known = readClusterName(clusterOptionsOf(options));
  if (options.provider === noProvider || known.region === undefined) return;
  const isRegion = options.region === undefined || options.region === known.region;
  if (known.name === cluster && isRegion) return;
  throw new NodeferryError({
    code: 'InvalidArgument',
    message: `The kubeconfig leads to cluster ${known.name} in ${known.region}, not to ${cluster}${isRegion ? '' : ` in ${options.region}`}.`,
    hint: `Name the cluster as the policy does, or give the --context that leads to ${cluster}. See: kubectl config get-contexts`,
  });
}

/** @throws NodeferryError InvalidArgument when nothing says in which region the cluster is */
function locate(target: RunTarget, options: CleanupOptions & { readonly provider: ProviderName }): CleanupTarget {
  const { provider, project } = options;
  const [regionVariable] = providers[provider].traits.regionVariables;
  const { region = '', ...named } = nameCluster(options, provider);
  if (regionVariable !== undefined && region === '') {
    throw new NodeferryError({
      code: 'InvalidArgument',
      message: 'The region of the cluster is not known.',
      hint: `Give --region, or set ${regionVariable}.`,
    });
  }
  const locator = project === undefined ? named.locator : { project };
  return {
    ...target,
    region,
    provider,
    ...(locator && { locator }),
    runs: options.run === undefined ? undefined : [options.run],
    acceptsUnasked: options.evictUnasked,
  };
}

/** A run without a worker at the moment does not hold the lock, and continues when a worker is back. */
async function requireNoRun(target: RunTarget): Promise<void> {
  const name = formatRunTarget(target);
  let running: boolean;
  try {
    running = await isRunning(target);
  } catch (error) {
    const why = error instanceof NodeferryError ? error.problem.message : String(error);
    printProgress(`Temporal could not be asked whether a run of ${name} is under way (${why}); its lock decides.`);
    return;
  }
  if (!running) return;
  throw new NodeferryError({
    code: 'AlreadyRunning',
    message: `A run of ${name} is under way; cleaning up would remove what it needs.`,
    hint: `Abort it first, it restores everything itself: nodeferry abort ${name}`,
  });
}

async function isRunning({ cluster, pool }: RunTarget): Promise<boolean> {
  const { WorkflowNotFoundError } = await import('@temporalio/client');
  const connection = await connectTemporal();
  try {
    const handle = connection.client.workflow.getHandle(poolUpgradeId(cluster, pool));
    return (await connection.within(() => handle.describe())).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  } finally {
    await connection.close();
  }
}
