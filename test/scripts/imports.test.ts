import { expect, test } from 'vitest';

import { findCycles } from '../../scripts/imports/find-cycles.ts';
import { findDeadExports } from '../../scripts/imports/find-dead-exports.ts';
import { findClimbing, findLayerBreaks } from '../../scripts/imports/layers.ts';
import { buildGraph } from '../../scripts/imports/module-graph.ts';
import { scanModule } from '../../scripts/imports/scan-module.ts';

const graphOf = (texts: Readonly<Record<string, string>>) => buildGraph(new Map(Object.entries(texts)));

test('every way to import is seen, types included', () => {
  const { imports } = scanModule(
    [
      "import { one, type Two as Other } from './a.ts';",
      "import type { Three } from './b.ts';",
      "import * as all from './c.ts';",
      "import fallback, { four } from './d.ts';",
      "import './e.ts';",
      'import {',
      '  five,',
      '  six,',
      "} from './f.ts';",
      "export { seven as eight } from './g.ts';",
      "export * from './h.ts';",
      "const late = await import('./i.ts');",
      "let shape: import('./j.ts').Shape;",
    ].join('\n'),
  );

  expect(imports.map(({ specifier, names }) => [specifier, names])).toEqual([
    ['./a.ts', ['one', 'Two']],
    ['./b.ts', ['Three']],
    ['./c.ts', 'all'],
    ['./d.ts', ['default', 'four']],
    ['./f.ts', ['five', 'six']],
    ['./g.ts', ['seven']],
    ['./h.ts', 'all'],
    ['./e.ts', []],
    ['./i.ts', 'all'],
    ['./j.ts', 'all'],
  ]);
});

test('an import that stands in a comment or in a template is none', () => {
  const text = [
    '/*',
    "import { a } from './a.ts';",
    '*/',
    "// import('./b.ts')",
    'const text = `',
    "import { c } from './c.ts';",
    '`;',
    'const pattern = /[`"\']/;',
    "import { d } from './d.ts';",
  ].join('\n');

  expect(scanModule(text).imports.map(({ specifier }) => specifier)).toEqual(['./d.ts']);
});

test('exports are told with their line and whether their own module uses them', () => {
  const text = [
    '/** Uses helper and nothing else. */',
    'export async function main(): Promise<Result> {',
    "  return { text: 'unused', ...spread, same: a.unused };",
    '}',
    'export interface Result {',
    '  readonly text: string;',
    '}',
    'export const unused = 1;',
    'const inner = 2;',
    'export { inner as outer };',
    'export const spread = {};',
    'export const templated = 1;',
    'const text = `templated ${templated}, not unused`;',
  ].join('\n');

  expect(scanModule(text).exports).toEqual([
    { name: 'main', line: 2, usedInside: false },
    { name: 'Result', line: 5, usedInside: true },
    { name: 'unused', line: 8, usedInside: false },
    { name: 'spread', line: 11, usedInside: true },
    { name: 'templated', line: 12, usedInside: true },
    { name: 'outer', line: 10, usedInside: true },
  ]);
});

test('a cycle is found through a type-only import, and told once', () => {
  const graph = graphOf({
    'core/a.ts': "import { b } from './b.ts';",
    'core/b.ts': "import type { C } from './c.ts';",
    'core/c.ts': "import { a } from './a.ts';\nimport { d } from './d.ts';",
    'core/d.ts': '',
  });

  expect(findCycles(graph)).toEqual([['core/a.ts', 'core/b.ts', 'core/c.ts']]);
});

test('modules that one module uses twice are no cycle', () => {
  const graph = graphOf({
    'a.ts': "import { b } from './b.ts';\nimport { c } from './c.ts';",
    'b.ts': "import { c } from './c.ts';",
    'c.ts': '',
  });

  expect(findCycles(graph)).toEqual([]);
});

test('a room of core imports the rooms before it and none after it', () => {
  const graph = graphOf({
    'core/model/pod.ts': "import type { Guard } from '../guard/guard.ts';",
    'core/guard/guard.ts': "import type { Pod } from '../model/pod.ts';\nimport { other } from './other.ts';",
    'core/guard/other.ts': '',
  });

  expect(findClimbing(graph)).toEqual([
    { from: 'core/model/pod.ts', to: 'core/guard/guard.ts', why: 'guard comes after model' },
  ]);
});

test('a room that is missing in the order is told', () => {
  const graph = graphOf({ 'core/new/a.ts': "import { b } from '../model/b.ts';", 'core/model/b.ts': '' });

  expect(findClimbing(graph)).toEqual([
    { from: 'core/new/a.ts', to: 'core/model/b.ts', why: 'core/new is missing in the order of rooms' },
  ]);
});

test('adapters may share what is of AWS, and nothing else', () => {
  const graph = graphOf({
    'adapters/eks/a.ts':
      "import { b } from '../aws/b.ts';\nimport { c } from '../clock/c.ts';\nimport { d } from './d.ts';",
    'adapters/eks/d.ts': '',
    'adapters/aws/b.ts': '',
    'adapters/clock/c.ts': '',
  });

  expect(findLayerBreaks(graph).map(({ from, to }) => [from, to])).toEqual([
    ['adapters/eks/a.ts', 'adapters/clock/c.ts'],
  ]);
});

test('only what users run reads the written form of a policy', () => {
  const graph = graphOf({
    'client/a.ts': "import { p } from '../policy-file/parse.ts';",
    'core/policy/b.ts': "import type { p } from '../../policy-file/parse.ts';",
    'worker/c.ts': "import { p } from '../policy-file/parse.ts';",
    'policy-file/parse.ts': '',
  });

  expect(findLayerBreaks(graph).map(({ from }) => from)).toEqual(['core/policy/b.ts', 'worker/c.ts']);
});

test('of the workflows, the command line sees only the messages', () => {
  const graph = graphOf({
    'client/a.ts': "import { m } from '../workflows/messages.ts';\nimport { r } from '../workflows/run.ts';",
    'workflows/messages.ts': "import { r } from './run.ts';",
    'workflows/run.ts': '',
  });

  expect(findLayerBreaks(graph).map(({ from, to }) => [from, to])).toEqual([['client/a.ts', 'workflows/run.ts']]);
});

test('exports are dead where nobody but tests imports them', () => {
  const graph = graphOf({
    'core/a.ts': [
      'export const used = 1;',
      'export const nowhere = 2;',
      'export const inside = 3;',
      'export const tests = 4;',
      'export const forTests = inside;',
      'console.log(forTests);',
    ].join('\n'),
    'core/b.ts': "import { used } from './a.ts';",
    'test/a.test.ts': "import { forTests, tests } from '../core/a.ts';\nimport { given } from './given.ts';",
    'test/given.ts': 'export const given = 5;',
  });

  expect(findDeadExports(graph).map(({ name, line, used }) => [name, line, used])).toEqual([
    ['nowhere', 2, 'nowhere'],
    ['inside', 3, 'inside'],
    ['tests', 4, 'tests'],
    ['forTests', 5, 'for-tests'],
  ]);
});

test('everything that a dynamic import or a namespace may read is used', () => {
  const graph = graphOf({
    'client/cli.ts': "const { one } = await import('./one.ts');\nimport * as two from './two.ts';",
    'client/one.ts': 'export const one = 1;',
    'client/two.ts': 'export const two = 2;',
  });

  expect(findDeadExports(graph)).toEqual([]);
});
