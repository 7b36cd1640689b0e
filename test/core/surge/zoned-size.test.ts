import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { divideByNeed, sameInEachZone, spreadEvenly, totalOf } from '../../../core/surge/zoned-size.ts';

const zones = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(12), { minKeys: 1 });

describe('instances divided by need', () => {
  test.each([
    [1, { a: 1, b: 0 }],
    [3, { a: 3, b: 0 }],
    [4, { a: 3, b: 1 }],
    [7, { a: 5, b: 2 }],
  ])('%i of them: %j', (size, expected) => expect(divideByNeed(size, { a: 3, b: 1 })).toEqual(expected));

  test('are all of them, and never fewer in a zone when there is one more', () => {
    fc.assert(
      fc.property(zones, fc.nat(40), (needs, size) => {
        const before = divideByNeed(size, needs);
        const after = divideByNeed(size + 1, needs);
        expect(totalOf(before)).toBe(size);
        for (const zone of Object.keys(needs)) expect(after[zone]).toBeGreaterThanOrEqual(before[zone] ?? 0);
      }),
    );
  });

  test('are what zones need, once there are as many', () => {
    fc.assert(
      fc.property(zones, (needs) => {
        expect(divideByNeed(totalOf(needs), needs)).toEqual({ ...needs });
      }),
    );
  });
});

test('a cloud that balances zones gives them as many as before in all, and the odd one where it is needed most', () => {
  expect(spreadEvenly({ a: 1, b: 4, c: 0 })).toEqual({ a: 2, b: 2, c: 1 });
  fc.assert(
    fc.property(zones, (needs) => {
      expect(totalOf(spreadEvenly(needs))).toBe(totalOf(needs));
    }),
  );
});

test('a cloud with one size for all zones gives each what the largest needs', () => {
  expect(sameInEachZone({ a: 3, b: 1, c: 0 })).toEqual({ a: 3, b: 3, c: 3 });
});
