import { describe, expect, test } from 'vitest';
import { addLosses, explainExceeded, explainLosses, lostByUs } from '../../../core/status/losses.ts';
import { untouched } from '../../../core/status/outlook.ts';
import type { ProbeLosses } from '../../../core/status/probe-losses.ts';

const nine = Date.UTC(2026, 0, 5, 9, 0, 0);
const second = 1_000;
const reach = 100 * second;
const out = (nodes: readonly string[], at: number) => ({ seenAt: at, outAt: at, nodes });
const counts = (losses: readonly ProbeLosses[]) => ({
  sent: 1_000,
  lost: losses.reduce((sum, { lost }) => sum + lost, 0),
  slow: 0,
  losses,
});

/** The web loses two while nothing is out, then three while two nodes are; the shop loses one then. */
function someLosses(): readonly ProbeLosses[] {
  const first = addLosses([], { lostBy: { web: 2, shop: 0 }, at: nine }, untouched, reach);
  const then = nine + 10 * second;
  const both = addLosses(first, { lostBy: { web: 1, shop: 1 }, at: then }, out(['a'], then), reach);
  const last = then + 5 * second;
  return addLosses(both, { lostBy: { web: 2 }, at: last }, out(['b'], last), reach);
}

describe('losses', () => {
  test('are counted by probe, and separately while no node was excluded', () => {
    const losses = someLosses();
    expect(losses.map(({ probe, lost, whileNoneOut }) => ({ probe, lost, whileNoneOut }))).toEqual([
      { probe: 'web', lost: 5, whileNoneOut: 2 },
      { probe: 'shop', lost: 1, whileNoneOut: 0 },
    ]);
    expect(lostByUs(counts(losses))).toBe(4);
  });

  test('that follow each other make one spell, which names all nodes that were excluded', () => {
    expect(someLosses()[0]?.spells).toEqual([
      { from: nine, to: nine, lost: 2, canBeOurs: false, nodes: [] },
      { from: nine + 10 * second, to: nine + 15 * second, lost: 3, canBeOurs: true, nodes: ['a', 'b'] },
    ]);
  });

  test('of unknown cause count as caused by the run', () => {
    expect(lostByUs({ lost: 3 })).toBe(3);
    expect(lostByUs({ ...counts(someLosses()), lost: 7 })).toBe(5);
  });

  test('fill no more than a few spells of a few nodes', () => {
    let losses: readonly ProbeLosses[] = [];
    const nodes = Array.from({ length: 50 }, (_, i) => `node-${i}`);
    for (let i = 0; i < 20; i++) {
      const at = nine + i * 120 * second;
      losses = addLosses(losses, { lostBy: { web: 1 }, at }, out(nodes, at), reach);
    }
    expect(losses[0]).toMatchObject({ lost: 20, whileNoneOut: 0 });
    expect(losses[0]?.spells).toHaveLength(5);
    expect(losses[0]?.spells.at(-1)?.nodes).toHaveLength(10);
  });
});

describe('why a run pauses', () => {
  const nothing = { traffic: { sent: 0, lost: 0, slow: 0 }, at: nine - 60 * second };

  test('names probe, number, time and nodes, without the losses while no node was excluded', () => {
    expect(explainExceeded(counts(someLosses()), nothing, 0)).toBe(
      '4 requests lost, the budget is 0: web lost 3 since 09:00:10 UTC, while a, b were out or just had been; ' +
        'shop lost 1 since 09:00:10 UTC, while a was out or just had been',
    );
  });

  test('leaves out the losses that a resume accepted', () => {
    const accepted = { traffic: counts(someLosses()), at: nine + 20 * second };
    const at = nine + 30 * second;
    const more = addLosses(someLosses(), { lostBy: { shop: 1 }, at }, out(['c'], at), reach);
    expect(explainExceeded(counts(more), accepted, 0)).toBe(
      '1 request lost, the budget is 0: shop lost 1 since 09:00:20 UTC, while a, c were out or just had been',
    );
  });

  test('says so when the excluded nodes could not be observed', () => {
    const losses = addLosses([], { lostBy: { web: 1 }, at: nine }, { outAt: nine, nodes: [] }, reach);
    expect(explainExceeded(counts(losses), nothing, 0)).toBe(
      '1 request lost, the budget is 0: web lost 1 since 09:00:00 UTC, while it could not be seen which nodes were out',
    );
  });
});

describe('how a request failed', () => {
  const at = nine + 5 * second;
  const refused = '10.0.0.1: connect ECONNREFUSED 10.0.0.1:80 after 2 ms';
  const first = addLosses([], { lostBy: { web: 1 }, failureBy: { web: refused }, at: nine }, out(['a'], nine), reach);
  const later = { lostBy: { web: 2 }, failureBy: { web: '10.0.0.1: no answer after 5000 ms' }, at };
  const losses = addLosses(first, later, out(['a'], at), reach);

  test('is said where a run pauses, and in its report, as the first of a spell did', () => {
    const nothing = { traffic: { sent: 0, lost: 0, slow: 0 }, at: nine - 60 * second };
    expect(explainExceeded(counts(losses), nothing, 0)).toBe(
      `3 requests lost, the budget is 0: web lost 3 since 09:00:00 UTC (${refused}), while a was out or just had been`,
    );
    expect(explainLosses({ losses })).toEqual([
      `web lost 3: 3 from 09:00:00 to 09:00:05 UTC (${refused}) while a was out or just had been`,
    ]);
  });

  test('is not said of losses that a resume accepted', () => {
    const accepted = { traffic: counts(losses), at: nine + 20 * second };
    const again = nine + 200 * second;
    const more = addLosses(losses, { lostBy: { web: 1 }, at: again }, out(['b'], again), reach);
    expect(explainExceeded(counts(more), accepted, 0)).not.toContain(refused);
  });
});

test('the losses of each probe make one line', () => {
  expect(explainLosses({ losses: someLosses() })).toEqual([
    'web lost 5, 2 of them while no node of the run was out: 2 at 09:00:00 UTC while none was out; ' +
      '3 from 09:00:10 to 09:00:15 UTC while a, b were out or just had been',
    'shop lost 1: 1 at 09:00:10 UTC while a was out or just had been',
  ]);
  expect(explainLosses({ losses: addLosses([], { lostBy: { web: 1 }, at: nine }, untouched, reach) })).toEqual([
    'web lost 1, while no node of the run was out: 1 at 09:00:00 UTC while none was out',
  ]);
});
