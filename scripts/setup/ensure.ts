import { agents } from './agents.ts';
import { withLock } from './cache.ts';
import { go } from './go.ts';
import { googleControllers } from './google-controllers.ts';
import { krew } from './krew.ts';
import { kubernetes } from './kubernetes.ts';
import { oauth2Proxy } from './oauth2-proxy.ts';
import { packages } from './packages.ts';
import { createProgress, type Progress } from './progress.ts';
import { temporal } from './temporal.ts';
import type { Tool, ToolName } from './tool.ts';

const tools: Readonly<Record<ToolName, Tool>> = {
  temporal,
  packages,
  go,
  agents,
  kubernetes,
  krew,
  'oauth2-proxy': oauth2Proxy,
  'google-controllers': googleControllers,
};

/** What is needed, and when to stop: installations in progress are interrupted when the signal is aborted. */
interface EnsureOptions {
  readonly need: readonly ToolName[];
  readonly signal?: AbortSignal;
}

/**
 * Makes sure that the needed tools are installed, and reports progress on standard error; silent and quick when nothing is missing. Independent tools
 * are installed in parallel; two setups at the same time wait for each other. Rejects with a SetupError that says what to do.
 */
export async function ensureTools(options: EnsureOptions): Promise<void> {
  const missing = withPrerequisites(options.need).filter((name) => !tools[name].isReady());
  if (missing.length === 0) return;
  const progress = createProgress(process.stderr, missing.length);
  try {
    await installAll(missing, progress, options.signal);
  } finally {
    progress.close();
  }
}

/** The named tools and their prerequisites, prerequisites first. */
function withPrerequisites(names: readonly ToolName[]): ToolName[] {
  return [...new Set(names.flatMap((name) => [...withPrerequisites(tools[name].after), name]))];
}

async function installAll(names: readonly ToolName[], progress: Progress, signal?: AbortSignal): Promise<void> {
  const abort = new AbortController();
  signal?.addEventListener('abort', () => abort.abort(signal.reason), { once: true });
  const started = new Map<ToolName, Promise<void>>();
  for (const name of names) {
    const before = tools[name].after.flatMap((prerequisite) => started.get(prerequisite) ?? []);
    const work = Promise.all(before).then(() => install(tools[name], progress, abort));
    started.set(name, work);
  }
  await Promise.allSettled(started.values());
  // The first failure is the reason why the others were interrupted.
  if (abort.signal.aborted) throw abort.signal.reason;
}

async function install(tool: Tool, progress: Progress, abort: AbortController): Promise<void> {
  try {
    await progress.run(tool.label, tool.typicalSeconds, (report) =>
      withLock(
        tool.name,
        () => report('waiting for another setup'),
        async () => {
          if (!tool.isReady()) await tool.install({ report, signal: abort.signal });
        },
      ),
    );
  } catch (error) {
    abort.abort(error);
    throw error;
  }
}
