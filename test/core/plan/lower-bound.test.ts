import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evictionTurns } from '../../../core/plan/eviction-turns.ts';
import { type LowerBoundDelays, lowerBound } from '../../../core/plan/lower-bound.ts';
import type { Floor, ServicePlan } from '../../../core/plan/pool-plan.ts';
import { simulateWindows } from '../../../core/plan/windows.ts';
import { aBudget, aCluster, aGroup, aLook, aNode, aPod, aService, aServicePlan, refOf } from '../support/facts.ts';

const nodes = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' }), aNode('n4', { zone: 'b' })];
const pods = nodes.map((node, index) => aPod(`web-${index + 1}`, node.name));

const delays: LowerBoundDelays = {
  bootMs: 10_000,
  registrationMs: 5000,
  propagationMs: 3000,
  deregistrationDelayMs: 8000,
  evictionMs: 2000,
  replacementReadyMs: 4000,
  healthyMs: 3000,
  transitMs: 0,
  terminationMs: 1000,
};

function input(floor: Partial<Floor>, changes: Partial<ServicePlan> = {}) {
  return {
    facts: aLook({ nodes, pods, services: [aService('web', pods)] }, [aGroup('web', nodes)]),
    services: [aServicePlan('web', { ...changes, floor })],
    nodes: nodes.map(refOf),
    maxInFlight: 10,
    enabled: true,
  };
}

const names = (floor: Partial<Floor>, more = {}) =>
  simulateWindows({ ...input(floor), ...more }).windows.map((window) => window.map((node) => node.name));

describe('windows', () => {
  test('are as wide as the floors allow', () => {
    expect(names({ targets: 3 })).toEqual([['n1'], ['n2'], ['n3'], ['n4']]);
    expect(names({ targets: 2 })).toEqual([
      ['n1', 'n2'],
      ['n3', 'n4'],
    ]);
    expect(names({ targets: 1, perZone: { a: 1, b: 1 } })).toEqual([
      ['n1', 'n3'],
      ['n2', 'n4'],
    ]);
  });

  test('are as wide as the policy allows', () => {
    expect(names({ targets: 1 }, { maxInFlight: 2 })).toEqual([
      ['n1', 'n2'],
      ['n3', 'n4'],
    ]);
    expect(names({ targets: 4 }, { enabled: false })).toHaveLength(1);
  });

  test('say who is stuck and why', () => {
    const { windows, stuck, reason } = simulateWindows(input({ targets: 4 }));
    expect(windows).toEqual([]);
    expect(stuck).toHaveLength(4);
    expect(reason).toContain('must keep 4');
  });
});

describe('the lower bound', () => {
  test('adds up boot, registration, the windows and the end of the last', () => {
    const bound = lowerBound({ ...input({ targets: 2 }), delays });
    expect(bound.terms).toEqual([
      { name: 'boot', ms: 10_000 },
      { name: 'registration', ms: 5000 },
      { name: 'window 1 of 2: deregistration and propagation', ms: 8000 },
      { name: 'window 1 of 2: eviction and replacement ready', ms: 4000 },
      { name: 'window 1 of 2: replacement healthy', ms: 3000 },
      { name: 'window 2 of 2: deregistration and propagation', ms: 8000 },
      { name: 'window 2 of 2: eviction and replacement ready', ms: 4000 },
      { name: 'window 2 of 2: replacement healthy', ms: 3000 },
      { name: 'last termination', ms: 1000 },
    ]);
    expect(bound).toMatchObject({ totalMs: 46_000, windows: [2, 2] });
  });

  test('lets propagation and deregistration delay run side by side', () => {
    const longer = lowerBound({ ...input({ targets: 1 }), delays: { ...delays, propagationMs: 9000 } });
    expect(longer.terms).toContainEqual({ name: 'window 1 of 2: deregistration and propagation', ms: 9000 });
  });

  test('waits for the pods of the last window only as far as they outlast their replacements', () => {
    const slow = lowerBound({ ...input({ targets: 2 }), delays: { ...delays, evictionMs: 9000 } });
    expect(slow.terms).toContainEqual({ name: 'last pods gone', ms: 2000 });
  });

  test('waits for passing connections of the last window only as far as they outlast everything else', () => {
    const aged = lowerBound({ ...input({ targets: 2 }), delays: { ...delays, transitMs: 20_000 } });
    expect(aged.terms).toContainEqual({ name: 'last transit connections', ms: 8000 });
    const young = lowerBound({ ...input({ targets: 2 }), delays: { ...delays, transitMs: 5000 } });
    expect(young.terms.map((term) => term.name)).not.toContain('last transit connections');
  });

  test('asks nodes without pods and targets for nothing but their end', () => {
    const facts = aLook({ nodes });
    const bound = lowerBound({ ...input({}), facts, services: [], delays });
    expect(bound).toMatchObject({ totalMs: 16_000, windows: [4] });
  });

  test('never grows when a floor is lowered, and is at least one window long', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 10 }), (targets, maxInFlight) => {
        const tight = lowerBound({ ...input({ targets }), maxInFlight, delays }).totalMs;
        const loose = lowerBound({ ...input({ targets: Math.max(1, targets - 1) }), maxInFlight, delays }).totalMs;
        expect(loose).toBeLessThanOrEqual(tight);
        expect(loose).toBeGreaterThanOrEqual(31_000);
      }),
    );
  });
});

describe('evictions one after another', () => {
  const three = [aPod('web-1', 'n1'), aPod('web-2', 'n1'), aPod('web-3', 'n1'), aPod('web-4', 'n2')];

  test.each([
    [3, 3],
    [2, 2],
    [1, 1],
    [4, 3],
  ])('a budget that demands %i of four takes %i turns for three of them', (demands, turns) => {
    expect(
      evictionTurns([refOf(aNode('n1'))], aCluster({ pods: three, budgets: [aBudget('web', three, demands)] })),
    ).toBe(turns);
  });

  test('one turn is enough without a budget', () => {
    expect(evictionTurns([refOf(aNode('n1'))], aCluster({ pods: three }))).toBe(1);
  });
});
