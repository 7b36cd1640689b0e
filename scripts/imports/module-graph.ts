import { posix } from 'node:path';

import { type ModuleExport, scanModule } from './scan-module.ts';

/** One import of a module of the project. */
interface GraphImport {
  /** Path from the project's root. */
  readonly target: string;
  readonly names: readonly string[] | 'all';
}

/** A module of the project, and what it has to do with the others. */
interface GraphModule {
  readonly imports: readonly GraphImport[];
  readonly exports: readonly ModuleExport[];
}

/** The modules of the project by path from its root. Imports of packages are left out. */
export type ModuleGraph = ReadonlyMap<string, GraphModule>;

/** Builds the graph from the texts of all modules, by path from the project's root. Type-only imports count like the others. */
export function buildGraph(texts: ReadonlyMap<string, string>): ModuleGraph {
  return new Map(
    [...texts].map(([path, text]) => {
      const { imports, exports } = scanModule(text);
      const inside = imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier, names }) => ({ target: posix.join(posix.dirname(path), specifier), names }))
        .filter(({ target }) => texts.has(target));
      return [path, { imports: inside, exports }];
    }),
  );
}
