import { type Command, Option } from 'commander';
import { type ProviderName, providerNames } from '../wiring/providers.ts';
import { type ClusterOptions, clusterOptionsOf } from './cluster-options.ts';
import type { ExitCode } from './output/exit-codes.ts';
import { outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';
import { parseRunTarget } from './run-target.ts';
import { wrapHelp } from './wrap-help.ts';

/** Adds `cleanup`. */
export function addCleanup(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('cleanup')
    .description('show what terminated runs have left over on the cluster, or remove it')
    .argument('<cluster/pool>', 'the pool, as in the policy')
    .option('--run <run>', 'clean up after this run only')
    .option('--region <region>', 'region of the cluster; from the kubeconfig or AWS_REGION unless given')
    .option(
      '--project <project>',
      'Google Cloud project of the cluster; from the kubeconfig or the environment unless given',
    )
    .addOption(
      new Option(
        '--provider <provider>',
        'which cloud is asked; that of the nodes unless given. none: no cloud, for what drains have left',
      ).choices(providerNames),
    )
    .option('--evict-unasked', 'evict pods even if load balancers that may send to them cannot be asked', false)
    .option('--yes', 'do it; without, nothing is changed', false)
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nRemoves or restores labels, cordons, taints, removed pod labels, Leases, suspended processes and sizes, and a new pool without nodes.' +
          '\nNeeds the cluster and the cloud, not Temporal. It refuses to clean up after a run that is under way: abort that run instead.' +
          '\n\nExamples:\n  $ nodeferry cleanup prod-eu/web\n  $ nodeferry cleanup prod-eu/web --yes',
      ),
    )
    .action(async (target: string, options: CleanupFlags) => {
      const { cleanupCommand } = await import('./commands/cleanup.ts');
      const { run, region, project, provider, evictUnasked, yes, output } = options;
      const chosen = { run, region, project, provider, evictUnasked, yes, output };
      finish(await cleanupCommand(parseRunTarget(target), { ...chosen, ...clusterOptionsOf(options) }));
    });
}

/** Options of `cleanup`, as commander parses them. */
interface CleanupFlags extends ClusterOptions {
  readonly run?: string;
  readonly region?: string;
  readonly project?: string;
  readonly provider?: ProviderName;
  readonly evictUnasked: boolean;
  readonly yes: boolean;
  readonly output: OutputFormat;
}
