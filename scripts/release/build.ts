import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DefaultLogger } from '@temporalio/worker';

import { projectRoot } from '../setup/sources.ts';
import { runProgram } from '../testing/projects.ts';

/** Compiles the product, without lab and tests, to JavaScript under dist/, and bundles its workflows, for workers without and with a payload codec. Returns the compiler's exit code. */
export async function build(): Promise<number> {
  const dist = join(projectRoot, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const { exitCode } = await runProgram('tsc', ['--project', 'tsconfig.build.json'], 'shown');
  if (exitCode !== 0) return exitCode;
  chmodSync(join(dist, 'client', 'main.js'), 0o755);
  // The built worker finds its bundle by a name that is computed from the built sources: it computes that name itself.
  const built: typeof import('../../worker/bundle.ts') = await import(
    pathToFileURL(join(dist, 'worker', 'bundle.js')).href
  );
  const logger = new DefaultLogger('WARN');
  for (const encodesFailures of [false, true]) await built.ensureWorkflowBundle(logger, { encodesFailures });
  return 0;
}
