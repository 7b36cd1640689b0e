import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readVersion } from '../adapters/package/version.ts';
import { acceptOption, type WrittenAcceptances } from './accept-option.ts';
import { calledAs } from './called-as.ts';
import { addAudit } from './cli-audit.ts';
import { addCleanup } from './cli-cleanup.ts';
import { addCompletion } from './cli-completion.ts';
import { addDoctor } from './cli-doctor.ts';
import { addDrain } from './cli-drain.ts';
import { addNodeControls } from './cli-nodes.ts';
import { addOffline } from './cli-offline.ts';
import { addRuns } from './cli-runs.ts';
import { addServerOptions } from './cli-server-options.ts';
import { addEvents, addWatching } from './cli-watching.ts';
import { addClusterOptions, type ClusterOptions } from './cluster-options.ts';
import { type ExitCode, exitCodes } from './output/exit-codes.ts';
import { reportFailure } from './output/fail.ts';
import { outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';
import { parseRunTarget } from './run-target.ts';
import { addSchedule } from './schedule/cli.ts';
import { wrapHelp } from './wrap-help.ts';

const exitCodeHelp = `
Exit codes:
  0    done
  1    failed
  3    needs an operator: paused, stalled, waits for approval
  4    aborted or rolled back
  5    done, but requests were lost
  6    done, but nothing was measured (no probes)
  7    done, but requests were lost only while no node of the run was out of its
       load balancers
  64   usage or policy
  69   Temporal, a worker, cluster or cloud unreachable
  77   credentials missing or not allowed
  124  stopped watching; the run continues
  130  ended by Ctrl-C; a run that was started continues
  More about one of them: nodeferry explain CODE`;

/** Runs one command line and returns its exit code. Nothing here accesses a cluster: commands load what they need. */
export async function runCli(argv: readonly string[]): Promise<number> {
  let code: number = exitCodes.ok;
  const program = createProgram(calledAs(argv), (result) => {
    code = result;
  });
  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    return reportFailure(error);
  }
}

/** Every command, to be called `name`. `finish` hears the exit code of the command that was run. */
export function createProgram(name: string, finish: (code: number) => void): Command {
  const program = new Command(name)
    .description('Replaces every node of a Kubernetes node pool, drops no connection, and proves it.')
    .version(readVersion(), '-V, --version')
    .showHelpAfterError(`(see ${name} --help)`)
    .exitOverride()
    .addHelpText('after', wrapHelp(exitCodeHelp));
  addServerOptions(program);
  program.commandsGroup('Check and start:');
  addOffline(program, finish);
  addAudit(program, finish);
  addPlanning(program, finish);
  addDrain(program, finish);
  addSchedule(program, finish);
  program.commandsGroup('Watch:');
  addRuns(program, finish);
  addWatching(program, finish);
  addEvents(program, finish);
  program.commandsGroup('Control a run:');
  addControls(program, finish);
  addConcurrency(program, finish);
  addAcceptUnprotected(program, finish);
  addNodeControls(program, finish);
  program.commandsGroup('Everything else:');
  addCleanup(program, finish);
  addDoctor(program, finish);
  addProcesses(program, finish);
  addClusterOptions(program);
  addCompletion(program, finish);
  program.helpCommand('help [command]', 'display help for command');
  return program;
}

function addPlanning(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('plan')
    .description('show what an upgrade would do, with findings; changes nothing')
    .requiredOption('-f, --file <policy>', 'policy file, - for standard input')
    .option('--out <file>', 'save the plan, to review it and to start exactly this upgrade')
    .addOption(acceptOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nExamples:\n  $ nodeferry plan -f policy.yaml\n  $ nodeferry plan -f policy.yaml --out plan.json\n  $ nodeferry plan -f policy.yaml -o json | jq .findings' +
          '\n  $ nodeferry plan -f policy.yaml --accept SVC-028="drained by its owner on Saturdays"',
      ),
    )
    .action(async (options: PlanFlags) => {
      const { planCommand } = await import('./commands/plan.ts');
      finish(await planCommand(options));
    });
  program
    .command('upgrade')
    .description('start the upgrade of a pool and watch it; shows the plan and asks first')
    .argument('[plan]', 'a saved plan (plan --out); the upgrade is refused if anything in it has changed')
    .option('-f, --file <policy>', 'policy file, - for standard input')
    .option('--yes', 'start without showing the plan and asking', false)
    .option('--reason <text>', 'why, for the audit trail', '')
    .addOption(acceptOption())
    .option('-d, --detach', 'return as soon as the run is started', false)
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nCtrl-C detaches; the run continues. What --accept accepts, the report repeats with the reason.\n\nExamples:\n  $ nodeferry upgrade -f policy.yaml --reason "CVE-2026-1234"\n  $ nodeferry upgrade plan.json\n  $ nodeferry upgrade -f policy.yaml --yes --detach -o json   # in a pipeline',
      ),
    )
    .action(async (plan: string | undefined, options: UpgradeFlags) => {
      const { upgradeCommand } = await import('./commands/upgrade.ts');
      finish(await upgradeCommand({ ...options, file: options.file, plan }));
    });
}

/** Options of `plan`, as commander parses them. */
interface PlanFlags extends ClusterOptions {
  readonly file: string;
  readonly output: OutputFormat;
  readonly out?: string;
  readonly accept: WrittenAcceptances;
}

/** Options of `upgrade`, as commander parses them. */
interface UpgradeFlags extends ClusterOptions {
  readonly accept: WrittenAcceptances;
  readonly file?: string;
  readonly reason: string;
  readonly yes: boolean;
  readonly detach: boolean;
  readonly output: OutputFormat;
}

const exampleReasons = {
  pause: 'error rate is up',
  resume: 'the error rate is down again',
  abort: 'the new image is broken',
  rollback: 'the new version is broken',
  approve: 'the canary nodes serve well',
  reject: 'the canary nodes restart all the time',
  'override-window': 'CVE-2026-1234 can not wait until tonight',
} as const;

const controlTexts = {
  pause: 'start no further node; nodes in progress finish',
  resume: 'end a pause and retry stalled steps',
  abort: 'end the run and restore everything, including capacity; new nodes stay in place of replaced ones',
  rollback: 'end the run and go back to the old pool: it gets its size again, then all new nodes leave',
  approve: 'approve what the run waits to be approved',
  reject: 'reject it: the run ends, as with abort',
  'override-window': 'let the run continue outside of its upgrade windows, until it ends',
} as const;

function addControls(program: Command, finish: (code: ExitCode) => void): void {
  for (const action of ['pause', 'resume', 'abort', 'rollback', 'approve', 'reject', 'override-window'] as const) {
    const isReasonRequired = action === 'override-window' || action === 'reject' || action === 'rollback';
    const reason = new Option('--reason <text>', 'why, for the audit trail').makeOptionMandatory(isReasonRequired);
    const command = program
      .command(action)
      .description(controlTexts[action])
      .argument('<cluster/pool>', 'the pool, as in the policy')
      .addOption(isReasonRequired ? reason : reason.default(''))
      .addOption(outputOption())
      .addHelpText(
        'after',
        wrapHelp(`\nExample:\n  $ nodeferry ${action} prod-eu/web --reason "${exampleReasons[action]}"`),
      )
      .action(async (target: string, options: { reason: string; of?: string; output: OutputFormat }) => {
        const { controlCommand } = await import('./commands/control.ts');
        finish(await controlCommand(action, parseRunTarget(target), options));
      });
    if (action === 'approve' || action === 'reject')
      command.option('--of <what>', 'refuse unless the run waits for this, e.g. canary or "zone eu-west-1b"');
  }
}

function addConcurrency(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('set-concurrency')
    .description('set how many nodes of a run may be in progress at the same time')
    .argument('<cluster/pool>', 'the pool, as in the policy')
    .argument('<nodes>', 'a whole number from 1 to 1000', parseNodes)
    .option('--reason <text>', 'why, for the audit trail', '')
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nNodes that are in progress finish. The guard still decides whether that many may leave together.' +
          '\n\nExample:\n  $ nodeferry set-concurrency prod-eu/web 2 --reason "the database is slow"',
      ),
    )
    .action(async (target: string, maxInFlight: number, options: { reason: string; output: OutputFormat }) => {
      const { controlCommand } = await import('./commands/control.ts');
      finish(await controlCommand('set-concurrency', parseRunTarget(target), { ...options, maxInFlight }));
    });
}

function addAcceptUnprotected(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('accept-unprotected')
    .description('let a Service lose connections that the run cannot protect')
    .argument('<cluster/pool>', 'the pool, as in the policy')
    .argument('<namespace/service>', 'the Service, as the run names it')
    .requiredOption('--reason <text>', 'why, for the audit trail and the report')
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nFor a load balancer that nodeferry cannot watch and that came during the run. One that was there before is accepted with the' +
          '\nplan: upgrade --accept. What is stalled continues after a resume.' +
          '\n\nExample:\n  $ nodeferry accept-unprotected prod-eu/web preview-123/app --reason "nobody depends on previews"',
      ),
    )
    .action(async (target: string, service: string, options: { reason: string; output: OutputFormat }) => {
      const { controlCommand } = await import('./commands/control.ts');
      finish(await controlCommand('accept-unprotected', parseRunTarget(target), { ...options, service }));
    });
}

function addProcesses(program: Command, finish: (code: number) => void): void {
  program
    .command('worker')
    .description('run a worker in the foreground (configuration by environment, see docs/worker.md)')
    .addHelpText('after', wrapHelp('\nExample:\n  $ TEMPORAL_ADDRESS=temporal:7233 nodeferry worker'))
    .action(async () => {
      const { workerCommand } = await import('./commands/worker.ts');
      finish(await workerCommand());
    });
  program
    .command('dev')
    .description('run a Temporal development server and a worker on this host')
    .option('--port <number>', 'port of the Temporal server', parsePort, 7233)
    .option('--ui-port <number>', 'port of the Temporal web UI', parsePort, 8233)
    .option('--database <file>', "SQLite file that keeps the runs (default: in the user's state directory)")
    .addHelpText(
      'after',
      wrapHelp(
        '\nRuns survive a restart. Not for production: one process, no authentication, loopback only.\n\nExample:\n  $ nodeferry dev --port 7233 --ui-port 8233',
      ),
    )
    .action(async (options: { port: number; uiPort: number; database?: string }) => {
      const { defaultDatabase, devCommand } = await import('./commands/dev.ts');
      finish(await devCommand({ ...options, database: options.database ?? defaultDatabase() }));
    });
  program
    .command('version')
    .description('print the version of this command, and if asked to, of the server and of the workers')
    .option('--server', 'also ask the server for its version and those of the workers', false)
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nWith -o json or yaml the server is always asked. It takes 5 s at most.' +
          '\n\nExamples:\n  $ nodeferry version --server\n  $ nodeferry version -o json | jq -r .version',
      ),
    )
    .action(async (options: { output: OutputFormat; server: boolean }) => {
      const { versionCommand } = await import('./commands/version.ts');
      await versionCommand(options);
    });
}

function parseNodes(text: string): number {
  const nodes = Number(text);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > 1000)
    throw new InvalidArgumentError('Give a whole number from 1 to 1000.');
  return nodes;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('Give a port from 1 to 65535.');
  return port;
}
