import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger, type WorkflowBundleOption } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

const keptIn = join(root, 'build');

/** The module that has failures of workflows encoded, for the bundle of workers with a payload codec. */
export const failureConverterPath = join(root, 'worker', `failure-converter.${extension}`);

/** Which bundle, and where it is kept. */
interface BundleOptions {
  /** Messages and stacks of failures are encoded as payloads are. */
  readonly encodesFailures?: boolean;
  readonly folder?: string;
}

/**
 * The workflow bundle, built if there is none for these sources yet. A released worker comes with it. The file is written atomically, so that workers
 * that start together never read half of it. When it can't be written, the next start builds it again.
 */
export async function ensureWorkflowBundle(
  logger: Logger,
  { encodesFailures = false, folder = keptIn }: BundleOptions = {},
): Promise<WorkflowBundleOption> {
  const path = join(folder, `workflow-bundle-${hashSources()}${encodesFailures ? '-encoding-failures' : ''}.js`);
  if (existsSync(path)) return { codePath: path };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', `index.${extension}`),
    workflowInterceptorModules: [join(root, 'workflows', 'run', `details.${extension}`)],
    ...(encodesFailures ? { failureConverterPath } : {}),
    logger,
  });
  try {
    keep(path, code);
  } catch (error) {
    logger.warn('the workflow bundle could not be saved for the next start', { path, error });
    return { code };
  }
  return { codePath: path };
}

function keep(path: string, code: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const half = `${path}.${process.pid}`;
  writeFileSync(half, code);
  renameSync(half, path);
}

/** A fingerprint of everything that goes into the bundle. */
function hashSources(): string {
  const hash = createHash('sha256');
  for (const file of globSync(`{{workflows,core}/**/*,worker/failure-converter}.${extension}`, {
    cwd: root,
  }).toSorted()) {
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
