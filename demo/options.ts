/** The command line of the demo. */
import { Command, Option } from 'commander';
import { type ProtectiveRule, protectiveRules } from '../core/steps/steps.ts';

/** The options of the demo. */
export interface DemoOptions {
  /** Which cloud is simulated: AWS with EKS, or Google with GKE. */
  readonly cloud: 'eks' | 'gke';
  /** Upgrade in the usual order instead, as a control: it loses requests. */
  readonly naive: boolean;
  /** Pods are replaced before they leave; otherwise they are evicted within their budgets. */
  readonly surgePods: boolean;
  /** File for the report as JSON. */
  readonly report: string | undefined;
  /** File for the report as an HTML page. */
  readonly html: string | undefined;
  /** Protective rules to disable. */
  readonly without: readonly ProtectiveRule[];
  /** Keep the lab running until Ctrl-C: at the end, or while the run needs an operator. */
  readonly keep: boolean;
}

/** Reads the command line; prints help or a usage error and ends the process when there is nothing to run. */
export function readDemoOptions(argv: readonly string[]): DemoOptions {
  const program = new Command('npm run demo --')
    .description('Upgrades a live node pool behind two load balancers under traffic, and reports what was lost.')
    .addOption(
      new Option('--cloud <cloud>', 'cloud to simulate; for gke the controllers of GKE are built first, once')
        .choices(['eks', 'gke'])
        .default('eks'),
    )
    .option('--naive', 'upgrade in the usual order (cordon, drain, terminate), which loses requests', false)
    .option('--surge-pods', 'replace pods before they leave, so that all nodes leave together (default)', true)
    .option('--no-surge-pods', 'evict pods within their budgets instead, so that nodes leave in batches')
    .option('--report <file>', 'also write the report as JSON')
    .addOption(
      new Option('--html <file>', 'also write the report as an HTML page, with the timeline of the nodes').conflicts(
        'naive',
      ),
    )
    .addOption(
      new Option('--without <rule...>', 'disable protective rules')
        .choices(protectiveRules.map(({ id }) => id))
        .default([]),
    )
    .option('--keep', 'keep the lab running at the end, or while the run needs an operator, until Ctrl-C', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run demo\n  $ npm run demo -- --no-surge-pods\n  $ npm run demo -- --report report.json --html report.html\n  $ npm run demo -- --cloud gke\n  $ npm run demo -- --naive\n  $ npm run demo -- --without wait-for-replacements',
    );
  program.parse([...argv]);
  const { report, html, ...options } = program.opts<
    Omit<DemoOptions, 'report' | 'html' | 'without'> & { report?: string; html?: string; without: ProtectiveRule[] }
  >();
  return { ...options, report, html };
}
