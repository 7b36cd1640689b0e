import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { cacheDirectory, publishDirectory } from './cache.ts';
import { runCommand } from './command.ts';
import { SetupError } from './errors.ts';
import { findGo, type GoToolchain, goEnvironment } from './go.ts';
import { agentsSource, goCommands, goSourceHash } from './sources.ts';
import type { Tool } from './tool.ts';

/** Folder that contains one executable for each program under lab/agents/cmd, built from the current sources. */
export function agentsDirectory(go: GoToolchain): string {
  return join(cacheDirectory(), directoryName(go));
}

function directoryName(go: GoToolchain): string {
  return `agents-${goSourceHash(agentsSource, [process.arch, go.version])}`;
}

/** The lab's own small programs: the application in the pods and the prober. */
export const agents: Tool = {
  name: 'agents',
  label: 'Lab programs',
  typicalSeconds: 15,
  after: ['go'],
  isReady: () => {
    const go = findGo();
    return go !== undefined && existsSync(agentsDirectory(go));
  },
  install: async (context) => {
    const go = findGo();
    if (go === undefined) throw new SetupError('Go is missing.', 'Install Go 1.26 or later.');
    const programs = goCommands(agentsSource).map((name) => `./cmd/${name}`);
    context.report('compiling');
    await publishDirectory(directoryName(go), (directory) =>
      runCommand(go.command, ['build', '-trimpath', '-ldflags', '-s -w', '-o', `${directory}/`, ...programs], {
        cwd: agentsSource,
        env: goEnvironment,
        signal: context.signal,
        fix: 'The programs under lab/agents must compile.',
      }),
    );
  },
};
