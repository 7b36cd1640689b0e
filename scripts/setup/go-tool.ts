import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { cacheDirectory, publishDirectory } from './cache.ts';
import { runCommand } from './command.ts';
import { SetupError } from './errors.ts';
import { findGo, type GoToolchain, goEnvironment } from './go.ts';
import { goSourceHash } from './sources.ts';
import type { Tool, ToolName } from './tool.ts';

/** Programs that are built from a Go module. */
interface GoToolOptions {
  readonly name: ToolName;
  /** Name in the progress display. */
  readonly label: string;
  /** Seconds that it takes on two cores with nothing cached. */
  readonly typicalSeconds: number;
  /** Folder of the module. */
  readonly source: string;
  /** Packages to build; each is one executable, named after the last part of its path that is no version. */
  readonly programs: () => readonly string[];
  /** Values that the linker gives to variables of the programs, by package path and name. */
  readonly values?: Readonly<Record<string, string>>;
  /** What to do when they cannot be built. */
  readonly fix: string;
}

/** A tool with the folder that contains its executables. */
interface GoTool extends Tool {
  /** The folder, built from the current sources with this Go, or where it would be. */
  readonly directory: (go: GoToolchain) => string;
}

/** A tool that is compiled by Go, once for each state of its sources. */
export function goTool({ source, programs, values = {}, fix, ...tool }: GoToolOptions): GoTool {
  const flags = Object.entries(values).map(([name, value]) => `-X ${name}=${value}`);
  const named = (go: GoToolchain) => `${tool.name}-${goSourceHash(source, [process.arch, go.version, ...flags])}`;
  const directory = (go: GoToolchain) => join(cacheDirectory(), named(go));
  return {
    ...tool,
    after: ['go'],
    directory,
    isReady: () => {
      const go = findGo();
      return go !== undefined && existsSync(directory(go));
    },
    install: async (context) => {
      const go = findGo();
      if (go === undefined) throw new SetupError('Go is missing.', 'Install Go 1.26 or later.');
      context.report('compiling');
      let compiled = 0;
      // With -v, Go names each package that it compiles.
      const args = ['build', '-v', '-trimpath', '-ldflags', ['-s', '-w', ...flags].join(' ')];
      await publishDirectory(named(go), (folder) =>
        runCommand(go.command, [...args, '-o', `${folder}/`, ...programs()], {
          cwd: source,
          env: goEnvironment,
          onLine: (line) => {
            if (!line.startsWith('go: ')) compiled += 1;
            context.report(compiled === 0 ? 'downloading modules' : `${compiled} packages compiled`);
          },
          signal: context.signal,
          fix,
        }),
      );
    },
  };
}
