#!/usr/bin/env node
// Nothing is imported before this: an older Node fails at the import, with words that say nothing of its age.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`nodeferry needs Node.js 22.19 or later; this is ${process.version}.\n`);
  process.exit(1);
}
const { enableCompileCache } = await import('node:module');
enableCompileCache();
// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
// npm runs scripts in the project's folder; files are named from where the caller is (docs.npmjs.com, npm run: INIT_CWD).
const startedIn = process.env['INIT_CWD'];
if (process.env['npm_lifecycle_event'] === 'nodeferry' && startedIn !== undefined) process.chdir(startedIn);
const { runCli } = await import('./cli.ts');
const code = await runCli(process.argv);
// A command that has spoken ends: a read that nobody waits for any more would go on trying for a minute.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));

export {};
