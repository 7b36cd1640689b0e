import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../client/main.ts', import.meta.url));

/** Reports every module that the process has loaded, as the last line of stderr. */
const reporter = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
process.on('exit', () => process.stderr.write('\\n' + JSON.stringify(loaded)));
`;

/** The packages from which a command loads something. */
export function packagesLoadedBy(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): readonly string[] {
  return packagesLoaded(main, '/client/cli.ts', args, env);
}

/** The packages from which a module loads something when it is run with these arguments; of one that only exports, before anything of it is used. */
export function packagesLoadedByModule(
  path: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): readonly string[] {
  return packagesLoaded(fileURLToPath(new URL(`../../${path}`, import.meta.url)), `/${path}`, args, env);
}

function packagesLoaded(
  script: string,
  expected: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): readonly string[] {
  const { stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(reporter)}`, script, ...args],
    { encoding: 'utf8', input: '', env: { ...process.env, NO_COLOR: '1', ...env } },
  );
  const loaded: readonly string[] = JSON.parse(stderr.slice(stderr.lastIndexOf('\n') + 1));
  if (!loaded.some((url) => url.endsWith(expected))) throw new Error(`${script} loaded nothing: ${stderr}`);
  const names = loaded.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}
