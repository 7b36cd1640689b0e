import { type Command, Option } from 'commander';
import { acceptOption, type WrittenAcceptances } from './accept-option.ts';
import { type AuditFormat, auditFormats } from './audit/formats.ts';
import { type ClusterOptions, clusterOptionsOf } from './cluster-options.ts';
import type { ExitCode } from './output/exit-codes.ts';
import { wrapHelp } from './wrap-help.ts';

/** Options of `audit`, as commander parses them. */
interface AuditFlags extends ClusterOptions {
  readonly file?: string;
  /** Its name, or true without one. */
  readonly cluster?: string | true;
  readonly service?: string;
  readonly pool?: string;
  readonly region?: string;
  readonly output: AuditFormat;
  readonly accept: WrittenAcceptances;
}

/** Adds `audit`. */
export function addAudit(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('audit')
    .description('find what would lose connections when nodes are replaced, with the fixes; changes nothing')
    .option('-f, --file <policy>', 'policy whose settings and accepted losses hold, - for standard input')
    .addOption(
      new Option('--cluster [name]', 'the whole cluster, which is the default; its name in the report').conflicts([
        'service',
        'pool',
      ]),
    )
    .option('--service <ns/name>', 'only what has to do with this Service')
    .option('--pool <name>', 'only the nodes of this pool, and what is on them')
    .addOption(acceptOption())
    .option('--region <region>', 'AWS region; from the kubeconfig or AWS_REGION unless given')
    .addOption(new Option('-o, --output <format>', 'how to print data').choices([...auditFormats]).default('table'))
    .addHelpText(
      'after',
      wrapHelp(
        '\nReads the cluster and its load balancers with your credentials. Needs no Temporal and no worker. Without -f the defaults of policies hold, and what only a policy decides is a warning.' +
          '\nWithout access to the cloud it audits the Kubernetes part, and says which rules it left out.' +
          '\n\nseverity   meaning' +
          '\nblocker    a node cannot be replaced, or nothing serves meanwhile' +
          '\nerror      connections are lost when a node is replaced' +
          '\nwarning    they may be lost, or other tools may lose them' +
          '\ninfo       worth knowing' +
          '\n\nBelow each blocker and error is its fix: a command, or a part of a manifest. Nothing is applied.' +
          '\nA rule in full: nodeferry explain WKL-033. All rules: docs/audit.md.' +
          '\nExit code 0 if nothing is worse than a warning but what is accepted, 1 otherwise; 6 instead of 0 if the load balancers could not be read.' +
          '\n\nExamples:\n  $ nodeferry audit\n  $ nodeferry audit --service shop/checkout' +
          '\n  $ nodeferry audit -f policy.yaml' +
          '\n  $ nodeferry audit --pool web-1-35 --region eu-west-1' +
          "\n  $ nodeferry audit -o json | jq -r '.findings[].fix.commands[]?'" +
          '\n  $ nodeferry audit --accept WKL-012="closed by its owner in May"' +
          '\n  $ nodeferry audit -o sarif > audit.sarif   # for code scanning',
      ),
    )
    .action(async ({ cluster, file, service, pool, region, output, accept, ...options }: AuditFlags) => {
      const { auditCommand } = await import('./commands/audit.ts');
      const named = typeof cluster === 'string' ? { cluster } : {};
      finish(
        await auditCommand({ file, service, pool, region, output, accept, ...named, ...clusterOptionsOf(options) }),
      );
    });
}
