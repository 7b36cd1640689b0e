import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/setup/sources.ts';
import { projectNames } from '../../scripts/testing/projects.ts';
import { trackedFiles } from '../../scripts/tracked-files.ts';
import config from '../../vitest.config.ts';

/** Files that a second project runs too, with other settings; and those of `workflow` that are `every-step` too, which are many. */
const shared = {
  'test/activities/pod-surge.property.test.ts': ['unit', 'worlds'],
  'test/core/guard/min-serving-holds.property.test.ts': ['unit', 'worlds'],
  'test/core/schedule/windows.property.test.ts': ['unit', 'worlds'],
  'test/e2e/demo.test.ts': ['e2e', 'matrix'],
  'test/e2e/negative-controls.test.ts': ['e2e', 'matrix'],
  'test/e2e/upgrades.test.ts': ['e2e', 'matrix'],
};

interface Project {
  readonly test: { readonly name: string; readonly include: string[]; readonly exclude?: string[] };
}

const projects = (config.test?.projects ?? []) as readonly Project[];

/** The test projects that run a file, for all files with tests. */
const projectsOf = new Map(
  trackedFiles()
    .filter((path) => /\.(test|spec)\.[cm]?[jt]sx?$/.test(path))
    .map((path) => [path, [] as string[]]),
);
for (const { test: project } of projects) {
  const files = (patterns: readonly string[]) => new Set(globSync([...patterns], { cwd: projectRoot }));
  const excluded = files(project.exclude ?? []);
  for (const path of files(project.include)) if (!excluded.has(path)) projectsOf.get(path)?.push(project.name);
}

test('every project is one that the scripts know', () => {
  expect(projects.map((project) => project.test.name).toSorted()).toEqual([...projectNames].toSorted());
});

test('every file that plays only some of its cases plays all of them in the matrix', () => {
  const partly = [...projectsOf.keys()].filter((path) => {
    return /^import .*support\/extent\.ts/m.test(readFileSync(join(projectRoot, path), 'utf8'));
  });
  expect(partly.length).toBeGreaterThan(0);
  const inMatrix = (path: string) => projectsOf.get(path)?.some((name) => name === 'matrix' || name === 'every-step');
  expect(partly.filter((path) => inMatrix(path) !== true)).toEqual([]);
});

test('every file with tests belongs to a project', () => {
  expect([...projectsOf].filter(([, names]) => names.length === 0)).toEqual([]);
});

test('no other file than those above belongs to two projects', () => {
  const isBoth = (names: readonly string[]) => names.join() === 'workflow,every-step';
  const others = [...projectsOf].filter(([, names]) => names.length > 1 && !isBoth(names));
  expect(Object.fromEntries(others)).toEqual(shared);
});
