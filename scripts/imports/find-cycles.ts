import type { ModuleGraph } from './module-graph.ts';

/**
 * The import cycles of the graph, type-only imports included: for each group of modules that reach one another, one shortest cycle. Each
 * begins with its first path in alphabetical order and does not repeat it at the end.
 */
export function findCycles(graph: ModuleGraph): string[][] {
  const cycles: string[][] = [];
  const seen = new Set<string>();
  for (const path of [...graph.keys()].sort()) {
    if (seen.has(path)) continue;
    const cycle = cycleThrough(graph, path);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const member of groupOf(graph, path)) seen.add(member);
  }
  return cycles;
}

/** The shortest cycle through a module: breadth first from it back to itself. */
function cycleThrough(graph: ModuleGraph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const path of queue) {
    for (const { target } of graph.get(path)?.imports ?? []) {
      if (target === start) return trace(cameFrom, start, path);
      if (cameFrom.has(target) || !graph.has(target)) continue;
      cameFrom.set(target, path);
      queue.push(target);
    }
  }
  return undefined;
}

function trace(cameFrom: ReadonlyMap<string, string>, start: string, last: string): string[] {
  const path = [last];
  while (path[0] !== start) path.unshift(cameFrom.get(path[0] ?? start) ?? start);
  return path;
}

/** The modules that a module reaches and that reach it. */
function groupOf(graph: ModuleGraph, start: string): string[] {
  const forward = reach(start, (path) => (graph.get(path)?.imports ?? []).map(({ target }) => target));
  const importers = new Map<string, string[]>();
  for (const [path, { imports }] of graph) {
    for (const { target } of imports) importers.set(target, [...(importers.get(target) ?? []), path]);
  }
  const backward = reach(start, (path) => importers.get(path) ?? []);
  return [...forward].filter((path) => backward.has(path));
}

function reach(start: string, next: (path: string) => readonly string[]): Set<string> {
  const reached = new Set([start]);
  for (const path of reached) for (const other of next(path)) reached.add(other);
  return reached;
}
