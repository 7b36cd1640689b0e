import type { ModuleGraph } from './module-graph.ts';

/** An exported name that no other module of the product, lab or scripts imports. */
export interface DeadExport {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  /**
   * `nowhere`: it can go. `inside`: only its own module uses it, so it need not be exported. `tests`: nothing but tests uses it.
   * `for-tests`: its own module uses it, and it is exported for tests alone.
   */
  readonly used: 'nowhere' | 'inside' | 'tests' | 'for-tests';
}

/** Modules whose exports are loaded by name: by the workflow bundle, its interceptors, Temporal's SDK, and vitest. */
const loadedByName =
  /^workflows\/(index|run\/details)\.ts$|^worker\/failure-converter\.ts$|^test\/support\/(awaits-interceptors|temporal-server)\.ts$|^test\/replay\/.*-workflows\.ts$|config\.ts$/;

/** Finds the exports that nobody needs, in the order of their paths. A test's own exports are used where another test imports them. */
export function findDeadExports(graph: ModuleGraph): DeadExport[] {
  const users = importersOf(graph);
  return [...graph.keys()]
    .filter((path) => !loadedByName.test(path))
    .sort()
    .flatMap((path) =>
      (graph.get(path)?.exports ?? []).flatMap(({ name, line, usedInside }): DeadExport[] => {
        const importers = [...(users.get(`${path} ${name}`) ?? []), ...(users.get(path) ?? [])];
        if (importers.some((importer) => isTest(path) || !isTest(importer))) return [];
        const [alone, along] =
          importers.length > 0 ? (['tests', 'for-tests'] as const) : (['nowhere', 'inside'] as const);
        return [{ path, line, name, used: usedInside ? along : alone }];
      }),
    );
}

/** Who imports what: by module and name, and by module alone where everything is imported. */
function importersOf(graph: ModuleGraph): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const [from, { imports }] of graph) {
    for (const { target, names } of imports) {
      const keys = names === 'all' ? [target] : names.map((name) => `${target} ${name}`);
      for (const key of keys) importers.set(key, [...(importers.get(key) ?? []), from]);
    }
  }
  return importers;
}

function isTest(path: string): boolean {
  return path.startsWith('test/');
}
