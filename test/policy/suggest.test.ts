import { expect, test } from 'vitest';
import { suggest } from '../../core/policy/suggest.ts';

const fields = ['guard', 'waits', 'propagation', 'traffic'];

test.each([
  ['gaurd', 'guard'],
  ['propogation', 'propagation'],
  ['wait', 'waits'],
  ['surge', undefined],
])('%s suggests %s', (found, meant) => {
  expect(suggest(found, fields)).toBe(meant);
});
