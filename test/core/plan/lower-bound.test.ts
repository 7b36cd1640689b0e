import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evictionRounds } from '../../../core/plan/eviction-rounds.ts';
import { type LowerBoundDelays, lowerBound } from '../../../core/plan/lower-bound.ts';
import type { BatchesInput } from '../../../core/plan/simulate-batches.ts';
import {
  aBudget,
  aCluster,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aWorkload,
  nodeRefOf,
  withMinServing,
  withPodSurge,
} from '../support/facts.ts';
import { factsOf, learned, nodes, pods, type Scene } from '../support/scene.ts';

const delays: LowerBoundDelays = {
  bootMs: 10_000,
  registrationMs: 5000,
  hostRegistrationMs: 1500,
  deregistrationMs: 0,
  propagationMs: 3000,
  deregistrationDelayMs: 8000,
  evictionMs: 2000,
  replacementReadyMs: 4000,
  healthyMs: 3000,
  firstHealthyMs: 2000,
  forwardedMs: 0,
  terminationMs: 1000,
  poolDeletionMs: 0,
};

/** Four nodes that serve one Service with this minimum serving. */
function input(targets: number, maxInFlight = 10, scene: Scene = {}): BatchesInput {
  const facts = factsOf(scene);
  const policy = aPolicy(withMinServing(targets, { maxInFlight }));
  return { facts, policy, baselines: learned(facts, policy), nodes: nodes.map(nodeRefOf) };
}

/** The same with pods that can be surged, and no node to spare. */
function surging(scene: Scene = {}): BatchesInput {
  const owned = pods.map((pod) => ({ ...pod, ownerUid: 'rs' }));
  return input(4, 10, { pods: owned, workloads: [aWorkload('web', 4, { surge: 1 })], ...scene });
}

describe('the lower bound', () => {
  test('adds up boot, registration, the batches and the end of the last', () => {
    const bound = lowerBound({ ...input(2), delays });
    expect(bound.terms).toEqual([
      { name: 'boot', ms: 10_000 },
      { name: 'registration', ms: 5000 },
      { name: 'batch 1 of 2: deregistration and propagation', ms: 8000 },
      { name: 'batch 1 of 2: eviction and replacement ready', ms: 4000 },
      { name: 'batch 1 of 2: replacement healthy', ms: 2000 },
      { name: 'batch 2 of 2: deregistration and propagation', ms: 8000 },
      { name: 'batch 2 of 2: eviction and replacement ready', ms: 4000 },
      { name: 'batch 2 of 2: replacement healthy', ms: 3000 },
      { name: 'last termination', ms: 1000 },
    ]);
    expect(bound).toMatchObject({ totalMs: 45_000, batches: [2, 2] });
  });

  test('ends with the deletion of the pool, once all waves have ended', () => {
    const { terms, totalMs } = lowerBound({ ...input(2), delays: { ...delays, poolDeletionMs: 500 } });
    expect(terms.at(-1)).toEqual({ name: 'deletion of the pool', ms: 500 });
    expect(totalMs).toBe(45_500);
  });

  test('lets propagation and deregistration delay run in parallel', () => {
    const longer = lowerBound({ ...input(1), delays: { ...delays, propagationMs: 9000 } });
    expect(longer.terms).toContainEqual({ name: 'batch 1 of 2: deregistration and propagation', ms: 9000 });
  });

  test('begins both once the node is deregistered, which controllers take a while for', () => {
    const later = { ...delays, deregistrationMs: 700, forwardedMs: 20_000 };
    const { terms } = lowerBound({ ...input(2), delays: later });
    expect(terms.filter(({ name }) => name.endsWith('propagation')).map(({ ms }) => ms)).toEqual([8700, 8700]);
    // Of 700 + 3000 + 20000 ms, the drain, the evictions and the health checks have taken 700 + 8000 + 4000 + 3000.
    expect(terms).toContainEqual({ name: 'last forwarded connections', ms: 8000 });
  });

  test('waits for the pods of the last batch only as far as they outlast their replacements', () => {
    const slow = lowerBound({ ...input(2), delays: { ...delays, evictionMs: 9000 } });
    expect(slow.terms).toContainEqual({ name: 'last pods gone', ms: 2000 });
  });

  test('waits for forwarded connections of the last batch only as far as they outlast everything else', () => {
    const aged = lowerBound({ ...input(2), delays: { ...delays, forwardedMs: 20_000 } });
    expect(aged.terms).toContainEqual({ name: 'last forwarded connections', ms: 8000 });
    const young = lowerBound({ ...input(2), delays: { ...delays, forwardedMs: 5000 } });
    expect(young.terms.map((term) => term.name)).not.toContain('last forwarded connections');
  });

  test('lets replacements of surged pods start once, before their nodes leave', () => {
    const strict = surging();
    const handing = { ...strict, policy: { ...strict.policy, ...withPodSurge() } };
    const bound = lowerBound({ ...handing, delays });
    expect(bound.terms).toEqual([
      { name: 'boot', ms: 10_000 },
      { name: 'registration', ms: 5000 },
      { name: 'batch 1 of 1: pod surge', ms: 2000 },
      { name: 'batch 1 of 1: deregistration and propagation', ms: 8000 },
      { name: 'last pods gone', ms: 2000 },
      { name: 'last termination', ms: 1000 },
    ]);
    expect(bound.batches).toEqual([4]);
    const byBatches = lowerBound({ ...handing, policy: { ...handing.policy, ...withPodSurge(0.5) }, delays });
    expect(byBatches.terms.filter(({ name }) => name.endsWith('pod surge'))).toEqual([
      { name: 'batch 1 of 2: pod surge', ms: 2000 },
      { name: 'batch 2 of 2: pod surge', ms: 7000 },
    ]);
  });

  test('registers new nodes once they have pods where a group has only nodes with pods, but only those of the first batch wait for it', () => {
    const handing = surging({ group: { membership: 'hosts-only' } });
    const policy = { ...handing.policy, ...withPodSurge(0.5) };
    const { terms } = lowerBound({ ...handing, policy, delays });
    expect(terms.filter(({ name }) => name.endsWith('pod surge'))).toEqual([
      { name: 'batch 1 of 2: pod surge', ms: 3500 },
      { name: 'batch 2 of 2: pod surge', ms: 7000 },
    ]);
  });

  test('starts again with each wave of new nodes, whose instances cost money until the old ones have ended', () => {
    const { policy, ...rest } = input(1);
    const bound = lowerBound({ ...rest, policy: { ...policy, nodeSurge: { share: 0.5 } }, delays });
    expect(bound.terms).toEqual([
      { name: 'wave 1 of 2: boot', ms: 10_000 },
      { name: 'wave 1 of 2: registration', ms: 5000 },
      { name: 'batch 1 of 2: deregistration and propagation', ms: 8000 },
      { name: 'batch 1 of 2: eviction and replacement ready', ms: 4000 },
      { name: 'batch 1 of 2: replacement healthy', ms: 3000 },
      { name: 'wave 1 of 2: last termination', ms: 1000 },
      { name: 'wave 2 of 2: boot', ms: 10_000 },
      { name: 'wave 2 of 2: registration', ms: 5000 },
      { name: 'batch 2 of 2: deregistration and propagation', ms: 8000 },
      { name: 'batch 2 of 2: eviction and replacement ready', ms: 4000 },
      { name: 'batch 2 of 2: replacement healthy', ms: 3000 },
      { name: 'wave 2 of 2: last termination', ms: 1000 },
    ]);
    expect(bound).toMatchObject({ totalMs: 62_000, batches: [2, 2] });
    // Two instances for 31 s, twice; all four at once: two for 31 s and two for 45 s.
    expect(bound.instanceMinutes).toBeCloseTo((4 * 31) / 60);
    expect(lowerBound({ ...input(2), delays }).instanceMinutes).toBeCloseTo((2 * 31 + 2 * 45) / 60);
  });

  test('needs nothing but the termination of nodes without pods and targets', () => {
    const facts = anObservation({ nodes });
    const bound = lowerBound({ ...input(1), facts, delays });
    expect(bound).toMatchObject({ totalMs: 16_000, batches: [4] });
  });

  test('never grows when a minimum serving is lowered, and is at least one batch long', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 10 }), (targets, maxInFlight) => {
        const tight = lowerBound({ ...input(targets, maxInFlight), delays }).totalMs;
        const loose = lowerBound({ ...input(Math.max(1, targets - 1), maxInFlight), delays }).totalMs;
        expect(loose).toBeLessThanOrEqual(tight);
        expect(loose).toBeGreaterThanOrEqual(31_000);
      }),
    );
  });
});

describe('rounds of evictions', () => {
  const three = [aPod('web-1', 'n1'), aPod('web-2', 'n1'), aPod('web-3', 'n1'), aPod('web-4', 'n2')];

  test.each([
    [3, 3],
    [2, 2],
    [1, 1],
    [4, 3],
  ])('a budget that requires %i of four needs %i rounds for three of them', (demands, rounds) => {
    expect(
      evictionRounds([nodeRefOf(aNode('n1'))], aCluster({ pods: three, budgets: [aBudget('web', three, demands)] })),
    ).toBe(rounds);
  });

  test.each([
    ['pods that the cluster needs take a round of their own', { priority: 2_000_000_000 }, 2],
    ['pods that stay on their node take none', { priority: 2_000_000_000, ownerKind: 'DaemonSet' }, 1],
    ['pods of a high class of the users take none of their own', { priority: 1_000_000_000 }, 1],
  ] as const)('%s', (_, change, rounds) => {
    const pods = [...three, aPod('dns-1', 'n1', change)];
    expect(evictionRounds([nodeRefOf(aNode('n1'))], aCluster({ pods, budgets: [aBudget('web', three, 1)] }))).toBe(
      rounds,
    );
  });

  test('one round is enough without a budget', () => {
    expect(evictionRounds([nodeRefOf(aNode('n1'))], aCluster({ pods: three }))).toBe(1);
  });
});
