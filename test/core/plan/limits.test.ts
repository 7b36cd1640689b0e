import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventsOf, limits } from '../../../core/plan/limits.ts';
import { measureRun } from '../../../core/plan/measure-run.ts';
import type { PoolPlan } from '../../../core/plan/pool-plan.ts';
import { refusal } from '../../../core/plan/refusal.ts';
import { withDrain } from '../support/facts.ts';
import { aLargeObservation, type LargeShape } from '../support/large-cluster.ts';
import type { Policy } from '../support/model.ts';
import { planFor } from '../support/scene.ts';

function plan(shape: LargeShape, changes: Partial<Policy> = {}): PoolPlan {
  return planFor(aLargeObservation(shape), changes);
}

const tooLarge = ({ findings }: PoolPlan) => findings.filter(({ rule }) => rule === 'INF-014');

describe('a pool that one run can carry', () => {
  test.each<[string, LargeShape]>([
    ['the largest that EKS makes unless asked for more', { nodes: 450, services: 20, replicas: 50 }],
    ['450 nodes behind 100 Services', { nodes: 450, services: 100, replicas: 100, budgets: 'each' }],
    [
      '450 nodes behind 100 Services of policy Cluster',
      { nodes: 450, services: 100, replicas: 50, traffic: 'Cluster' },
    ],
  ])('%s', (_, shape) => {
    expect(tooLarge(plan(shape))).toEqual([]);
  });
});

describe('a pool that is too large for one run', () => {
  test.each<[string, LargeShape, RegExp]>([
    [
      'by its report',
      { nodes: 1000, services: 2, replicas: 50 },
      /1000 nodes would take about 2\.\d MB in one message in Temporal, and one run may take 1\.5 MB in one message/,
    ],
    [
      'by its events',
      { nodes: 1000, services: 2, replicas: 50 },
      /would take about 12,150 events of history in Temporal, and one run may take 10,000 events/,
    ],
    [
      'by its history',
      { nodes: 600, services: 200, replicas: 50 },
      /would take about \d+\.\d MB of history in Temporal, and one run may take 25\.0 MB of history/,
    ],
  ])('is refused %s, up to the size that is named', (_, shape, message) => {
    const large = plan(shape);
    const found = tooLarge(large).find((finding) => message.test(finding.message));
    expect(found).toMatchObject({ severity: 'blocker', subject: 'pool web' });
    expect(refusal(large)?.code).toBe('PreflightRefused');
    const fits = Math.min(...tooLarge(large).map(({ hint }) => Number(/up to (\d+) nodes/.exec(hint)?.[1])));
    expect(tooLarge(plan({ ...shape, nodes: fits }))).toEqual([]);
    expect(tooLarge(plan({ ...shape, nodes: Math.ceil(1.15 * fits) }))).not.toEqual([]);
  });

  test('by the waves of new instances, and says so', () => {
    const shape = { nodes: 400, services: 2, replicas: 50 };
    const [found] = tooLarge(plan(shape, { nodeSurge: { instances: 1 } }));
    expect(found?.message).toContain('would take about 17,718 events of history');
    expect(found?.hint).toContain('spec.nodeSurge');
    expect(tooLarge(plan(shape, { nodeSurge: { instances: 4 } }))).toEqual([]);
  });

  test('by the batches of pod surge, and says so', () => {
    const shape = { nodes: 450, services: 2, replicas: 500 };
    const one = { max: 0.001, workloads: {} } as const;
    const [found] = tooLarge(plan(shape, { podSurge: { mode: 'auto', ...one } }));
    expect(found?.message).toContain('would take about 11,836 events of history');
    expect(found?.hint).toContain('spec.podSurge.max');
    expect(tooLarge(plan(shape, { podSurge: { mode: 'auto', max: 0.1, workloads: {} } }))).toEqual([]);
    expect(tooLarge(plan(shape, { podSurge: { mode: 'off', ...one } }))).toEqual([]);
  });

  test('by a policy that all of its steps carry', () => {
    const shape = { nodes: 300, services: 2, replicas: 50 };
    const keepEndpoints = Array.from({ length: 2_000 }, (_, index) => `default/some-workload-${index}`);
    expect(tooLarge(plan(shape))).toEqual([]);
    expect(tooLarge(plan(shape, withDrain({ keepEndpoints })))).toHaveLength(1);
  });

  test('by a policy that leaves room for no node at all, and says so', () => {
    const keepEndpoints = Array.from({ length: 60_000 }, (_, index) => `default/some-workload-${index}`);
    const found = tooLarge(plan({ nodes: 3, services: 2, replicas: 5 }, withDrain({ keepEndpoints })));
    expect(found.map(({ hint }) => hint).join()).toContain('shorten the policy');
  });
});

test('what a run needs grows only with its nodes, so that the size that fits can be named', () => {
  const size = (nodes: number) => {
    const shape = { nodes, services: 50, replicas: 50 };
    return measureRun(plan(shape), aLargeObservation(shape));
  };
  const [few, many] = [size(100), size(400)];
  for (const name of Object.keys(limits) as (keyof typeof limits)[]) {
    expect(many[name] / few[name]).toBeGreaterThan(3);
    expect(many[name] / few[name]).toBeLessThan(4.2);
  }
});

test('a recorded run took no more events than were calculated', () => {
  const recorded = new URL('../../replay/histories/completed-pool.json', import.meta.url);
  const { events } = JSON.parse(readFileSync(recorded, 'utf8')) as { readonly events: readonly unknown[] };
  expect(events.length).toBeLessThanOrEqual(eventsOf.fixed + 3 * eventsOf.perNode);
});
