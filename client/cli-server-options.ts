import { type Command, Option } from 'commander';

const addressOption = new Option(
  '--address <address>',
  'host and port of the Temporal server; TEMPORAL_ADDRESS unless given',
);
const namespaceOption = new Option('--namespace <namespace>', 'Temporal namespace; TEMPORAL_NAMESPACE unless given');

/** Commands that do not connect to Temporal, or are configured by the environment alone. They do not show these options. */
const withoutServer = ['validate', 'plan', 'completion', 'worker', 'dev', 'help'];

/**
 * Adds the options that say which Temporal server is used. They may be written before or after the command, and they override the
 * environment, which overrides the configuration file.
 */
export function addServerOptions(program: Command): void {
  program
    .addOption(addressOption)
    .addOption(namespaceOption)
    .configureHelp({
      // Names only, so that there is room for what the commands do on 80 columns.
      subcommandTerm: (command) => command.name(),
      minWidthToWrap: 30,
      showGlobalOptions: true,
      visibleGlobalOptions: (command) =>
        command === program || withoutServer.includes(command.name()) ? [] : [addressOption, namespaceOption],
    })
    .hook('preAction', () => {
      const { address, namespace } = program.opts<{ address?: string; namespace?: string }>();
      // The SDK reads its settings from here, and so does a worker that this process starts.
      if (address !== undefined) process.env['TEMPORAL_ADDRESS'] = address;
      if (namespace !== undefined) process.env['TEMPORAL_NAMESPACE'] = namespace;
    });
}
