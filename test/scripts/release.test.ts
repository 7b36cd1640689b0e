import { expect, test } from 'vitest';
import { findObstacles } from '../../scripts/release/obstacles.ts';
import { runtimeLock } from '../../scripts/release/runtime-lock.ts';

const ready = { version: '1.2.0', tags: ['v1.2.0'], changed: [], changelog: '# Changelog\n\n## 1.2.0 (2026-11-25)\n' };

test('a clean checkout of a tagged commit whose changes are listed may be published', () => {
  expect(findObstacles(ready)).toEqual([]);
});

test.each([
  ['files have been changed', { changed: ['core/a.ts'] }, /core\/a\.ts/],
  ['the tag is another one', { tags: ['v1.1.0'] }, /no tag v1\.2\.0/],
  ['the changes are not listed', { changelog: '## Unreleased\n\n1.2.0\n' }, /no heading for 1\.2\.0/],
])('it is not published when %s', (_when, different, says) => {
  expect(findObstacles({ ...ready, ...different })).toEqual([expect.stringMatching(says)]);
});

test('a published lock file has the same versions, without what only development needs', () => {
  const lock = {
    name: 'p',
    packages: {
      '': { dependencies: { a: '1' }, devDependencies: { d: '1' } },
      'node_modules/a': { version: '1' },
      'node_modules/o': { version: '1', optional: true, devOptional: true },
      'node_modules/d': { version: '1', dev: true },
    },
  };
  expect(runtimeLock(lock)).toEqual({
    name: 'p',
    packages: {
      '': { dependencies: { a: '1' } },
      'node_modules/a': { version: '1' },
      'node_modules/o': { version: '1', optional: true, devOptional: true },
    },
  });
});
