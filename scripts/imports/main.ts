import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../setup/sources.ts';
import { trackedFiles } from '../tracked-files.ts';
import { findCycles } from './find-cycles.ts';
import { type DeadExport, findDeadExports } from './find-dead-exports.ts';
import { findClimbing, findLayerBreaks, type LayerViolation } from './layers.ts';
import { buildGraph } from './module-graph.ts';

// npm run check:imports               import cycles (type-only imports too), climbing imports of core, broken layers, exports that no other module
//                                     imports; fails where there is one
// npm run check:imports -- --dead     exports that no other module imports, and those that only tests import; fails where there is one of the former
// npm run check:imports -- --report   all of this, and never fails
const paths = trackedFiles().filter((path) => path.endsWith('.ts'));
const graph = buildGraph(new Map(paths.map((path) => [path, readFileSync(join(projectRoot, path), 'utf8')])));
const report = process.argv.includes('--report');
const onlyDead = process.argv.includes('--dead');

const cycles = onlyDead ? [] : findCycles(graph);
const climbing = onlyDead ? [] : findClimbing(graph);
const breaks = onlyDead ? [] : findLayerBreaks(graph);
const dead = findDeadExports(graph).filter(({ used }) => onlyDead || report || isUseless(used));

print(
  'import cycles, type-only imports included',
  cycles.map((cycle) => [...cycle, cycle[0]].join(' → ')),
);
print('imports that climb in core (scripts/imports/layers.ts has the order)', climbing.map(violationLine));
print('imports between layers', breaks.map(violationLine));
const kinds = [
  ['nowhere', 'exports that nothing uses'],
  ['inside', 'exports that only their own file uses'],
  ['tests', 'exports that only tests use'],
  ['for-tests', 'exports that their own file uses and only tests import'],
] as const;
for (const [used, heading] of kinds) print(heading, dead.filter((one) => one.used === used).map(exportLine));

const failures = [...cycles, ...climbing, ...breaks, ...dead.filter(({ used }) => isUseless(used))];
if (!report && failures.length > 0) process.exitCode = 1;

/** Without the word `export` nothing would be missing. */
function isUseless(used: DeadExport['used']): boolean {
  return used === 'nowhere' || used === 'inside';
}

function print(heading: string, lines: readonly string[]): void {
  if (lines.length > 0)
    console.log([`${heading}: ${lines.length}`, ...lines.map((line) => `  ${line}`), ''].join('\n'));
}

function violationLine({ from, to, why }: LayerViolation): string {
  return `${from} → ${to}: ${why}`;
}

function exportLine({ path, line, name }: DeadExport): string {
  return `${path}:${line} ${name}`;
}
