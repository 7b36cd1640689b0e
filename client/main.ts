#!/usr/bin/env node
// Nothing is imported before this check: an older Node.js would fail at the import, with a message that does not mention its version.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`nodeferry needs Node.js 22.19 or later; this is ${process.version}.\n`);
  process.exit(1);
}
const { enableCompileCache } = await import('node:module');
enableCompileCache();
// A reader that closes the pipe early (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
// Nor is one that reads no more messages: a cleanup ends what it has begun.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
// npm runs scripts in the project's folder, but file names are relative to the caller's (docs.npmjs.com, npm run: INIT_CWD).
const startedIn = process.env['INIT_CWD'];
if (process.env['npm_lifecycle_event'] === 'nodeferry' && startedIn !== undefined) process.chdir(startedIn);
const { runCli } = await import('./cli.ts');
const code = await runCli(process.argv);
// The command ends as soon as its output is written: a read that nothing waits for any more would keep trying for a minute.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));

export {};
