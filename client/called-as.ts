import { basename } from 'node:path';

/**
 * The name under which the command was called, from `process.argv`. As a plugin of kubectl or temporal, which run `kubectl-nodeferry` and
 * `temporal-nodeferry` from the PATH (Kubernetes docs, "Extend kubectl with plugins"; temporalio/cli, commands.extension.go), it says what
 * the user has typed: `kubectl nodeferry`.
 */
export function calledAs(argv: readonly string[]): string {
  const match = /^(kubectl|temporal)-nodeferry(?:\.cjs)?$/.exec(basename(argv[1] ?? ''));
  return match === null ? 'nodeferry' : `${match[1]} nodeferry`;
}
