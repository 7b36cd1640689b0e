import { expect, test } from 'vitest';
import { suggest } from '../../../core/text/suggest.ts';

const fields = ['guard', 'waits', 'propagation', 'traffic'];

test.each([
  ['gaurd', 'guard'],
  ['propogation', 'propagation'],
  ['wait', 'waits'],
  ['surge', undefined],
])('for %s it suggests %s', (found, expected) => {
  expect(suggest(found, fields)).toBe(expected);
});
