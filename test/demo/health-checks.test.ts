import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meanUntilAllMs, meanUntilOneMs } from '../../demo/health-checks.ts';
import { seededRandom } from '../../lab/aws/random.ts';

const check = { threshold: 2, intervalMs: 10_000 };

test('a single target is healthy after half an interval and those of the other checks', () => {
  expect(meanUntilAllMs({ ...check, nodes: 1, groups: 1 })).toBe(15_000);
  expect(meanUntilOneMs({ ...check, nodes: 1, groups: 1 })).toBe(15_000);
});

test('the means are those of many draws', () => {
  const draw = seededRandom(7);
  const draws = 20_000;
  let all = 0;
  let one = 0;
  for (let at = 0; at < draws; at++) {
    const nodes = Array.from({ length: 4 }, () => Math.max(draw(), draw()));
    all += Math.max(...nodes) / draws;
    one += Math.min(...nodes) / draws;
  }
  expect(meanUntilAllMs({ ...check, nodes: 4, groups: 2 })).toBeCloseTo(10_000 * (1 + all), -3);
  expect(meanUntilOneMs({ ...check, nodes: 4, groups: 2 })).toBeCloseTo(10_000 * (1 + one), -3);
});

test('one node is never later than all, and both are within the interval of the last check', () => {
  const counts = fc.integer({ min: 1, max: 50 });
  fc.assert(
    fc.property(counts, counts, fc.integer({ min: 1, max: 5 }), (nodes, groups, threshold) => {
      const question = { threshold, intervalMs: 1_000, nodes, groups };
      const [one, all] = [meanUntilOneMs(question), meanUntilAllMs(question)];
      expect(one).toBeGreaterThan((threshold - 1) * 1_000);
      expect(one).toBeLessThanOrEqual(all + 1e-6);
      expect(all).toBeLessThan(threshold * 1_000);
    }),
  );
});
