import { expect, test } from 'vitest';

import { findOversized } from '../../scripts/sizes/find-oversized.ts';

const lines: Readonly<Record<string, number>> = {
  'core/fits.ts': 300,
  'core/long.ts': 301,
  'test/core/fits.test.ts': 400,
  'test/core/long.test.ts': 401,
  'deploy/long.yaml': 302,
  'package-lock.json': 9_000,
  'lab/kubernetes/go.sum': 600,
};

test('files of more than 300 lines are too long, tests of more than 400', () => {
  expect(findOversized(Object.keys(lines), (path) => lines[path] ?? 0)).toEqual([
    { path: 'test/core/long.test.ts', lines: 401, max: 400 },
    { path: 'deploy/long.yaml', lines: 302, max: 300 },
    { path: 'core/long.ts', lines: 301, max: 300 },
  ]);
});
