/** The lab's command line: `npm run lab -- up|down|status`. */
import { Command } from 'commander';
import { hostLab, labDown, labStatus, labUp } from './cluster/commands.ts';
import { scenarios } from './scenarios/catalog.ts';

const summaries = scenarios.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`).join('\n');

const program = new Command('lab')
  .description(
    'A real Kubernetes cluster on this machine, on a simulated AWS or Google. Needs root. NODEFERRY_LAB=2 is a second one.',
  )
  .showHelpAfterError();

program
  .command('up')
  .description('start a lab and return when traffic can flow')
  .argument('[scenario]', 'scenario to start', 'demo')
  .addHelpText('after', `\nScenarios:\n${summaries}`)
  .action(labUp);

program.command('down').description('stop the lab and remove everything that is left of it').action(labDown);

program
  .command('status')
  .description('show what is running')
  .option('--json', 'print JSON')
  .action((options: { json?: boolean }) => labStatus(options.json ?? false));

program.command('host', { hidden: true }).argument('<scenario>').action(hostLab);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`lab: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
