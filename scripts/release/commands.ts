import { execFileSync } from 'node:child_process';

/** Runs a command and returns what it prints on standard output; what it prints on standard error is in the error when it fails. */
export function run(command: string, args: readonly string[], cwd?: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Packs the checkout with npm into a folder. Returns the path of the archive. */
export function packWithNpm(checkout: string, destination: string): string {
  const printed = run('npm', ['pack', '--json', `--pack-destination=${destination}`], checkout);
  // What prepack prints comes first.
  const [packed] = JSON.parse(printed.slice(printed.indexOf('[\n'))) as readonly { readonly filename: string }[];
  if (packed === undefined) throw new Error(`npm has packed nothing: ${printed}`);
  return `${destination}/${packed.filename}`;
}
