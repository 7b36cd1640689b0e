/** What a plan of very many objects tells: enough to know them, and never more than fits into one message. */
import { describe, expect, test } from 'vitest';
import { approvedPart, findChanges } from '../../../core/plan/approved-plan.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import { capFindings } from '../../../core/plan/cap.ts';
import type { Finding } from '../../../core/plan/finding.ts';
import { explainTooLarge } from '../../../core/plan/plan-size.ts';
import { surgesPods } from '../../../core/policy/policy.ts';
import { bytesOf, maxPayloadBytes } from '../../../core/text/bytes.ts';
import { aNode, anObservation, aPod, aPolicy, aPool } from '../support/facts.ts';

const named = (i: number, more: Partial<Finding> = {}): Finding => {
  const subject = `pod ci/job-${String(i).padStart(4, '0')}`;
  return { rule: 'WKL-026', severity: 'warning', subject, message: 'evicted', hint: 'wait', ...more };
};
const many = (n: number, more: (i: number) => Partial<Finding> = () => ({})) =>
  Array.from({ length: n }, (_, i) => named(i, more(i)));

describe('findings of one rule', () => {
  test('are all told where there are few, and where one line would be saved', () => {
    expect(capFindings(many(51))).toEqual(many(51));
  });

  test('are told up to fifty, and then how many more there are', () => {
    const told = capFindings([...many(2_430), named(0, { rule: 'WKL-017' })]);
    expect(told).toHaveLength(52);
    expect(told.at(50)).toMatchObject({
      subject: '2,380 more',
      message: expect.stringContaining('pod ci/job-0050: evicted') as string,
    });
    expect(told.at(51)?.rule).toBe('WKL-017');
  });

  test('are accepted for all Services that were told before, and only where each can be', () => {
    const told = capFindings([
      ...many(60, (i) => ({ severity: 'blocker', acceptableFor: [`ci/${i % 55}`] })),
      ...many(60, () => ({ severity: 'blocker' })),
    ]);
    const services = new Set(told.flatMap(({ acceptableFor = [] }) => acceptableFor));
    expect(services.size).toBe(55);
    expect(
      told.filter(({ subject }) => subject === '10 more').map(({ acceptableFor }) => acceptableFor?.length),
    ).toEqual([10, undefined]);
  });
});

/** A pool on which many Jobs run, each with a pod of its own. */
function planOfJobs(jobs: number) {
  const policy = { ...aPolicy(), podSurge: { mode: 'auto' as const, max: 'maxSurge' as const, workloads: {} } };
  const nodes = [aNode('n1'), aNode('n2')];
  const pods = Array.from({ length: jobs }, (_, i) => {
    const name = `nightly-regression-suite-of-everything-${String(i).padStart(5, '0')}`;
    return aPod(name, i % 2 === 0 ? 'n1' : 'n2', {
      ownerKind: 'Job',
      ownerName: name,
      workload: `Job default/${name}`,
    });
  });
  expect(surgesPods(policy)).toBe(true);
  return buildPlan({ policy, run: 'r', pool: aPool(nodes), facts: anObservation({ nodes, pods, services: [] }, []) });
}

test('the plan of a pool with 2,400 Jobs fits into one message, and two of them compare as equal', () => {
  const plan = planOfJobs(2_400);
  expect(plan.findings.filter(({ rule }) => rule === 'WKL-026')).toHaveLength(51);
  expect(plan.podSurge).toHaveLength(51);
  expect(plan.podSurge?.reduce((sum, { pods }) => sum + pods, 0)).toBe(2_400);
  expect(bytesOf(plan)).toBeLessThan(maxPayloadBytes / 10);
  expect(explainTooLarge(plan)).toBeUndefined();
  expect(findChanges(approvedPart(plan), approvedPart(planOfJobs(2_400)))).toEqual([]);
});

test('a plan that is too large all the same is refused, and says what is large', () => {
  const unplaced = Object.fromEntries(
    Array.from({ length: 40_000 }, (_, i) => [`Deployment ci/a-long-name-${i}-000000`, 1]),
  );
  const refused = explainTooLarge({ ...planOfJobs(1), unplaced });
  expect(refused?.code).toBe('PreflightRefused');
  expect(refused?.message).toMatch(/takes 1\.\d MB, and one message of Temporal may have 1\.5 MB: unplaced 1\.\d MB/);
});
