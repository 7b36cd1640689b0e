import type { Command } from 'commander';
import { Option } from 'commander';
import { acceptOption, type WrittenAcceptances } from './accept-option.ts';
import { type ClusterOptions, clusterOptionsOf } from './cluster-options.ts';
import type { ExitCode } from './output/exit-codes.ts';
import { outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';
import { wrapHelp } from './wrap-help.ts';

/** Options of `drain`, as commander parses them. */
interface DrainFlags extends ClusterOptions {
  readonly selector?: string;
  readonly pool?: string;
  readonly file?: string;
  readonly cluster?: string;
  readonly region?: string;
  readonly terminate: boolean;
  readonly deleteEmptydirData: boolean;
  readonly force: boolean;
  readonly dryRun: boolean | string;
  readonly yes: boolean;
  readonly reason: string;
  readonly accept: WrittenAcceptances;
  readonly detach: boolean;
  readonly output: OutputFormat;
}

/** As for `kubectl drain`; all but `none` are the same here. */
const dryRunModes = ['none', 'client', 'server'];

/** Adds `drain`. Options that `kubectl drain` has too mean the same (kubectl reference, drain). */
export function addDrain(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('drain')
    .description('drain nodes without dropping a connection; the replacement of kubectl drain')
    .argument('[node...]', 'nodes of one pool')
    .option('-l, --selector <selector>', 'nodes by their labels, instead of by name')
    .option('--pool <pool>', 'all nodes of a pool, instead of by name')
    .option('-f, --file <policy>', "policy of the pool's upgrades, for its guard, waits and probes")
    .option('--terminate', 'also terminate the instances, and lower the size of their pool', false)
    .option('--delete-emptydir-data', 'evict pods with emptyDir volumes too; their data is lost', false)
    .option('--force', 'evict pods without a controller too; nothing starts them again', false)
    .addOption(new Option('--ignore-daemonsets', 'pods of DaemonSets are never evicted').hideHelp())
    .option(
      '--dry-run [mode]',
      `show the plan and its findings; changes nothing (modes: ${dryRunModes.join(', ')})`,
      false,
    )
    .option(
      '--cluster <name>',
      'name of the cluster in locks and lists; from the policy or the kubeconfig unless given',
    )
    .option(
      '--region <region>',
      'region of the cluster, for --terminate and --dry-run; from the kubeconfig or AWS_REGION unless given',
    )
    .option('--yes', 'do not ask before instances are terminated', false)
    .option('--reason <text>', 'why, for the audit trail', '')
    .addOption(acceptOption())
    .option('-d, --detach', 'return as soon as the run is started', false)
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nEach node leaves its load balancers first, then its pods move: replacements serve on other nodes before a pod leaves.' +
          '\nIn the end the nodes are cordoned, excluded from load balancers and empty, or terminated. abort restores them.' +
          '\nCtrl-C detaches; the run continues. Ends with 0 when all nodes are drained, also if nothing was measured.' +
          '\n\nExamples:\n  $ nodeferry drain ip-10-0-1-11.ec2.internal\n  $ nodeferry drain -l role=web --dry-run' +
          '\n  $ nodeferry drain --pool web-1-35 -f policy.yaml --terminate --reason "replaced by Terraform"' +
          '\n  $ kubectl nodeferry drain ip-10-0-1-11.ec2.internal --ignore-daemonsets --delete-emptydir-data',
      ),
    )
    .action(async (names: readonly string[], options: DrainFlags) => {
      const { drainCommand } = await import('./commands/drain.ts');
      const { selector, pool, file, cluster, region, deleteEmptydirData, dryRun, ...rest } = options;
      // As for kubectl, a mode needs `=`: what follows a bare --dry-run is the first node.
      const isNode = typeof dryRun === 'string' && !dryRunModes.includes(dryRun);
      const chosen = { names: isNode ? [dryRun, ...names] : names, selector, pool, file, cluster, region };
      const isDryRun = dryRun !== false && dryRun !== 'none';
      const evicting = { deleteEmptyDirData: deleteEmptydirData, dryRun: isDryRun };
      const { terminate, force, yes, reason, accept, detach, output } = rest;
      const code = await drainCommand({
        ...chosen,
        ...evicting,
        terminate,
        force,
        yes,
        reason,
        accept,
        detach,
        output,
        ...clusterOptionsOf(options),
      });
      finish(code);
    });
}
