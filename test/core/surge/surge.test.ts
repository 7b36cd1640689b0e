import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countWaves, surgeAtOnce } from '../../../core/surge/at-once.ts';
import { instanceMinutes } from '../../../core/surge/instance-minutes.ts';
import { decideCapacity } from '../../../core/surge/missing-capacity.ts';
import { pairByZone } from '../../../core/surge/pair-by-zone.ts';
import { aNode, nodeRefOf } from '../support/facts.ts';
import type { NodeRef } from '../support/model.ts';

describe('instances in addition to the pool at a time', () => {
  test.each([
    [{ share: 0.25 }, 10, 3],
    [{ share: 0.2 }, 10, 2],
    [{ share: 0.01 }, 10, 1],
    [{ instances: 4 }, 10, 4],
    [{ instances: 1 }, 2, 1],
  ] as const)('with surge %j a pool of %i gets %i', (surge, size, atOnce) => {
    expect(surgeAtOnce({ nodeSurge: surge }, size)).toBe(atOnce);
  });

  test.each([
    [{ instances: 3 }, 10, 4],
    [{ instances: 5 }, 10, 2],
    [{ share: 1 }, 10, 1],
    [{ instances: 3 }, 0, 1],
  ] as const)('with surge %j a pool of %i is replaced in %i waves', (surge, size, waves) => {
    expect(countWaves({ nodeSurge: surge }, size)).toBe(waves);
  });

  test.each([
    [{ nodeSurge: { share: 1 } }, 10],
    [{ nodeSurge: { instances: 10 } }, 10],
    [{ nodeSurge: { instances: 1000 } }, 10],
    [{ nodeSurge: { share: 0.5 } }, 1],
    [{}, 10],
  ] as const)('with %j all %i start at once', (policy, size) => {
    expect(surgeAtOnce(policy, size)).toBeUndefined();
  });
});

const inZones = (prefix: string, zones: string): readonly NodeRef[] =>
  zones.split('').map((zone, index) => nodeRefOf(aNode(`${prefix}${index}`, { zone })));
const zonesOf = (nodes: readonly NodeRef[]): string => nodes.map(({ zone }) => zone).join('');

describe('the old nodes that may leave', () => {
  test.each([
    ['are as many as the new ones in each zone', 'abababab', '', 'ab', 'ab'],
    ['none in a zone without new ones', 'aaab', '', 'bb', 'b'],
    ['as many as there are new ones that replace no terminated node', 'abab', 'ab', 'aba', 'a'],
    ['none while every new one replaces a terminated node', 'ab', 'ab', 'ab', ''],
    ['the first in the order where no zone has both', 'aaa', '', 'bb', 'aa'],
    ['the first in the order where the old zones were unbalanced', 'a', 'aab', 'aabb', 'a'],
  ])('%s', (_, waiting, ended, fresh, chosen) => {
    const answer = pairByZone({
      waiting: inZones('old', waiting),
      ended: inZones('gone', ended),
      fresh: inZones('new', fresh),
    });
    expect(zonesOf(answer)).toBe(chosen);
  });

  const zones = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength });
  test('are at least one, and never more than the new nodes that replace no terminated node, for all zones', () => {
    fc.assert(
      fc.property(zones(12), zones(6), zones(12), (waiting, ended, fresh) => {
        const nodes = inZones('old', waiting);
        const answer = pairByZone({ waiting: nodes, ended: inZones('gone', ended), fresh: inZones('new', fresh) });
        const free = Math.max(0, fresh.length - ended.length);
        expect(answer.length).toBeLessThanOrEqual(free);
        expect(answer.length > 0).toBe(free > 0 && nodes.length > 0);
        expect(nodes.filter((node) => answer.includes(node))).toEqual(answer);
      }),
    );
  });
});

describe('instances that do not start', () => {
  const question = {
    pool: { status: 'active', problems: ['AsgInstanceLaunchFailures: Insufficient capacity'] },
    ready: 3,
    enough: 2,
    before: undefined,
    now: 1000,
    waits: { stabilizationMs: 100, pollIntervalMs: 50, deadlines: { capacityMs: 500 } },
  } as const;

  test('are given up when none has joined for the patience, and not before', () => {
    const first = decideCapacity(question);
    expect(first).toEqual({ goOn: false, capacityWait: { since: 1000, ready: 3, seenAt: 1000 } });
    const again = { ...question, before: { since: 1000, ready: 3, seenAt: 1400 } };
    expect(decideCapacity({ ...again, now: 1499 }).goOn).toBe(false);
    expect(decideCapacity({ ...again, now: 1500 }).goOn).toBe(true);
  });

  test('are not given up for time in which nothing was observed', () => {
    const before = { since: 1000, ready: 3, seenAt: 1200 };
    expect(decideCapacity({ ...question, before, now: 5000 })).toEqual({
      goOn: false,
      capacityWait: { since: 4600, ready: 3, seenAt: 5000 },
    });
  });

  test('are waited for again whenever one has joined', () => {
    const before = { since: 0, ready: 2, seenAt: 1400 };
    expect(decideCapacity({ ...question, before, now: 1500 })).toEqual({
      goOn: false,
      capacityWait: { since: 1500, ready: 3, seenAt: 1500 },
    });
  });

  test.each([
    ['the cloud reports no problem', { pool: { ...question.pool, problems: [] } }],
    ['the pool is being created', { pool: { ...question.pool, status: 'creating' } }],
    ['the pool has failed', { pool: { ...question.pool, status: 'failed' } }],
    ['too few have joined', { ready: 1, before: { since: 0, ready: 1, seenAt: 900 } }],
  ] as const)('are waited for while %s', (_, changes) => {
    const answer = decideCapacity({ ...question, before: { since: 0, ready: 3, seenAt: 900 }, ...changes });
    expect(answer).toEqual({ goOn: false, capacityWait: undefined });
  });
});

describe('instance-minutes', () => {
  const ended = (at: number) => ({ evidence: [{ kind: 'terminated', at, detail: 'i-1' } as const] });
  const alive = { evidence: [] };
  const minute = 60_000;

  test('count new instances from their request, and old ones until they terminate', () => {
    const requested = [
      { at: 0, instances: 2 },
      { at: 5 * minute, instances: 1 },
    ];
    expect(
      instanceMinutes({ requested, nodes: [ended(4 * minute), ended(6 * minute), alive], until: 10 * minute }),
    ).toBe(15);
  });

  test('are zero when nothing was requested', () => {
    expect(instanceMinutes({ requested: [], nodes: [alive], until: minute })).toBe(0);
  });
});
