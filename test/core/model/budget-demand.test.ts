import { describe, expect, test } from 'vitest';
import { type BudgetDemand, endWithPods, podsToSpare } from '../../../core/model/budget-demand.ts';

type Field = BudgetDemand['field'];

function demandOf(field: Field, value: string): BudgetDemand {
  return { field, amount: Number.parseInt(value, 10), isPercentage: value.endsWith('%') };
}

/** How many of these pods may be missing, as the disruption controller computes it. */
function spares({ field, amount, isPercentage }: BudgetDemand, pods: number): number {
  const value = isPercentage ? Math.ceil((amount * pods) / 100) : amount;
  return field === 'minAvailable' ? pods - value : Math.min(pods, value);
}

test.each<[Field, string, number, number | undefined]>([
  ['minAvailable', '0', 1, 1],
  ['minAvailable', '3', 1, 4],
  ['minAvailable', '3', 2, 5],
  ['minAvailable', '0%', 1, 1],
  ['minAvailable', '50%', 1, 2],
  ['minAvailable', '51%', 1, 3],
  ['minAvailable', '66%', 1, 3],
  ['minAvailable', '67%', 1, 4],
  ['minAvailable', '75%', 2, 8],
  ['minAvailable', '90%', 1, 10],
  ['minAvailable', '99%', 1, 100],
  ['minAvailable', '100%', 1, undefined],
  ['maxUnavailable', '0', 1, undefined],
  ['maxUnavailable', '0%', 1, undefined],
  ['maxUnavailable', '1', 1, 1],
  ['maxUnavailable', '1', 2, undefined],
  ['maxUnavailable', '1%', 1, 1],
  ['maxUnavailable', '1%', 2, 101],
  ['maxUnavailable', '50%', 2, 3],
  ['maxUnavailable', '100%', 2, 2],
])('with %s %s, %i may be missing from %o pods on', (field, value, spared, pods) => {
  expect(podsToSpare(spared, demandOf(field, value))).toBe(pods);
});

test('no smaller number of pods is enough, and that number is, whatever the percentage', () => {
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    for (let amount = 0; amount <= 100; amount++) {
      const demand = { field, amount, isPercentage: true };
      for (const spared of [1, 2, 3, 7]) {
        const pods = podsToSpare(spared, demand) ?? 1001;
        expect(spares(demand, pods - 1), `${field} ${amount}%, ${spared}`).toBeLessThan(spared);
        if (pods <= 1000) expect(spares(demand, pods), `${field} ${amount}%, ${spared}`).toBeGreaterThanOrEqual(spared);
      }
    }
  }
});

describe('the advice', () => {
  test.each<[Field, string, string]>([
    ['minAvailable', '3', ', or run at least 4 of its pods: its minAvailable is 3.'],
    ['minAvailable', '90%', ', or run at least 10 of its pods: its minAvailable is 90%.'],
    ['minAvailable', '100%', '. More of its pods do not help: its minAvailable is 100%.'],
    ['maxUnavailable', '0', '. More of its pods do not help: its maxUnavailable is 0.'],
  ])('with %s %s', (field, value, text) => {
    expect(endWithPods(1, demandOf(field, value))).toBe(text);
  });

  test('promises nothing of more pods where it is not known what the budget demands', () => {
    expect(endWithPods(1, undefined)).toBe('.');
  });
});
