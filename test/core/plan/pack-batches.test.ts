import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Budget, openBudget, packBatches } from '../../../core/plan/pack-batches.ts';

interface Item {
  readonly name: number;
  /** How much it uses of each capacity. */
  readonly takes: readonly number[];
}

/** Fills one batch after another: each with whatever still fits, in order. */
function fillOneByOne(items: readonly Item[], most: readonly number[]): readonly (readonly Item[])[] {
  const batches: Item[][] = [];
  for (let waiting = items; waiting.length > 0; ) {
    const left = [...most];
    const batch = waiting.filter(({ takes }) => {
      const fits = takes.every((amount, index) => amount <= (left[index] ?? 0));
      if (fits) takes.forEach((amount, index) => (left[index] = (left[index] ?? 0) - amount));
      return fits;
    });
    batches.push(batch);
    waiting = waiting.filter((item) => !batch.includes(item));
  }
  return batches;
}

function pack(items: readonly Item[], supplies: readonly Budget[]) {
  return packBatches(items, ({ takes }) =>
    takes.flatMap((amount, index) => {
      const from = supplies[index];
      return from === undefined || amount === 0 ? [] : [{ from, amount }];
    }),
  );
}

describe('packing batches', () => {
  test('puts every item where filling one batch after another would', () => {
    const most = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });
    const scene = most.chain((limits) =>
      fc.record({
        limits: fc.constant(limits),
        all: fc.array(fc.tuple(...limits.map((limit) => fc.integer({ min: 0, max: limit }))), { maxLength: 40 }),
      }),
    );
    fc.assert(
      fc.property(scene, ({ limits, all }) => {
        // An item that uses nothing at all would fit everywhere.
        const items = all.map((takes, name) => ({ name, takes }));
        expect(pack(items, limits.map(openBudget))).toEqual(fillOneByOne(items, limits));
      }),
    );
  });

  test('does not try batches that have nothing left', () => {
    const reads = (n: number) => {
      let asked = 0;
      const supply = openBudget(1);
      const taken = new Proxy(supply.taken, {
        get: (of, key) => {
          asked += 1;
          return Reflect.get(of, key) as unknown;
        },
      });
      const items = Array.from({ length: n }, (_, name) => ({ name, takes: [1] }));
      expect(pack(items, [{ ...supply, taken }])).toHaveLength(n);
      return asked / n;
    };
    expect(reads(400)).toBeLessThan(2 * reads(50));
  });
});
