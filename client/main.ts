#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

enableCompileCache();
// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
const { runCli } = await import('./cli.ts');
process.exitCode = await runCli(process.argv);
