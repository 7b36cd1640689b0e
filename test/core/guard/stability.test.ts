import { describe, expect, test } from 'vitest';
import { explainUnstable } from '../../../core/guard/stability.ts';
import { aNode, anObservation, aPolicy, withWaits } from '../support/facts.ts';

const now = 1_000_000;

/** An observation of a number of nodes, some of which have been unreachable for a time (ms). */
function state(nodes: number, silentFor: readonly number[], outageAt?: number) {
  const all = Array.from({ length: nodes }, (_, index) => {
    const silent = silentFor[index];
    return aNode(`n${index}`, silent === undefined ? {} : { ready: false, unknownSince: now - silent });
  });
  return { ...anObservation({ nodes: all, ...(outageAt === undefined ? {} : { outageAt }) }), observedAt: now };
}

const ask = (...args: Parameters<typeof state>) => explainUnstable(state(...args), aPolicy());

describe('an observation is not trusted', () => {
  test('for the stabilization time after an outage of the API server', () => {
    expect(ask(4, [], now)).toBe('the API server was unavailable; observations are not trusted for another 1m');
    expect(ask(4, [], now - 59_999)).toContain('another 1ms');
    expect(ask(4, [], now - 60_000)).toBeUndefined();
  });

  test('when a quarter of the nodes, and more than one, became silent at once', () => {
    expect(ask(8, [0, 30_000])).toBe('2 nodes of 8 fell silent together less than 1m ago');
    expect(ask(9, [0, 0])).toBeUndefined();
    expect(ask(2, [0])).toBeUndefined();
  });

  test('but the status of nodes that have been silent for longer is', () => {
    expect(ask(4, [60_000, 60_000, 60_000])).toBeUndefined();
    expect(ask(4, [59_999, 60_000, 60_000])).toBeUndefined();
  });

  test('but nodes that report NotReady themselves are', () => {
    const nodes = Array.from({ length: 4 }, (_, index) => aNode(`n${index}`, { ready: false }));
    expect(explainUnstable({ ...anObservation({ nodes }), observedAt: now }, aPolicy())).toBeUndefined();
  });

  test('for as long as the policy says', () => {
    const patient = aPolicy(withWaits({ stabilizationAfterOutageMs: 120_000 }));
    expect(explainUnstable(state(4, [], now - 60_000), patient)).toContain('another 1m');
    expect(explainUnstable(state(4, [90_000, 90_000]), patient)).toContain('fell silent together');
  });
});
