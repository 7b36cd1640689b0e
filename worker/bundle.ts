import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** File in which the bundle of exactly these sources is, or would be. */
export function workflowBundlePath(): string {
  return join(root, 'build', `workflow-bundle-${hashSources()}.js`);
}

/**
 * Path of the workflow bundle; builds it when these sources have none yet. A released worker finds it built. The file appears at
 * once and whole, so that workers that start together don't read half of it.
 */
export async function ensureWorkflowBundle(logger: Logger): Promise<string> {
  const path = workflowBundlePath();
  if (existsSync(path)) return path;
  const { code } = await bundleWorkflowCode({ workflowsPath: join(root, 'workflows', `index.${extension}`), logger });
  mkdirSync(dirname(path), { recursive: true });
  const half = `${path}.${process.pid}`;
  writeFileSync(half, code);
  renameSync(half, path);
  return path;
}

/** A fingerprint of all that goes into the bundle. */
function hashSources(): string {
  const hash = createHash('sha256');
  for (const file of globSync(`{workflows,core}/**/*.${extension}`, { cwd: root }).toSorted()) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  hash.update(sdkVersion());
  return hash.digest('hex').slice(0, 16);
}

function sdkVersion(): string {
  const entry = fileURLToPath(import.meta.resolve('@temporalio/workflow'));
  return readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8');
}
