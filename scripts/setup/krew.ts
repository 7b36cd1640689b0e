import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { cacheDirectory, publishDirectory } from './cache.ts';
import { runCommand } from './command.ts';
import { SetupError } from './errors.ts';
import { findGo, type GoToolchain, goEnvironment } from './go.ts';
import { goSourceHash, krewSource } from './sources.ts';
import type { Tool } from './tool.ts';

/** The programs that are built: the plugin manager, and what checks manifests for its index. */
const programs = ['sigs.k8s.io/krew/cmd/krew', 'sigs.k8s.io/krew/cmd/validate-krew-manifest'];

/** Folder that contains `krew` and `validate-krew-manifest`. */
export function krewDirectory(go: GoToolchain): string {
  return join(cacheDirectory(), directoryName(go));
}

function directoryName(go: GoToolchain): string {
  return `krew-${goSourceHash(krewSource, [process.arch, go.version])}`;
}

/** Krew, which the test of the kubectl plugin installs it with. */
export const krew: Tool = {
  name: 'krew',
  label: 'Krew',
  typicalSeconds: 15,
  after: ['go'],
  isReady: () => {
    const go = findGo();
    return go !== undefined && existsSync(krewDirectory(go));
  },
  install: async (context) => {
    const go = findGo();
    if (go === undefined) throw new SetupError('Go is missing.', 'Install Go 1.26 or later.');
    context.report('compiling');
    await publishDirectory(directoryName(go), (directory) =>
      runCommand(go.command, ['build', '-trimpath', '-ldflags', '-s -w', '-o', `${directory}/`, ...programs], {
        cwd: krewSource,
        env: goEnvironment,
        signal: context.signal,
        fix: 'Access to a Go module proxy (GOPROXY) is needed once.',
      }),
    );
  },
};
