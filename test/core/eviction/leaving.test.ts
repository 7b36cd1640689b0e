import { describe, expect, test } from 'vitest';
import { type Leaving, nextDueMs, selfResolving } from '../../../core/eviction/leaving.ts';
import { endpointRemovalMs } from '../../../core/waits/formulas.ts';
import { aPod, aPolicy } from '../support/facts.ts';

const { waits } = aPolicy();
const now = 1_000_000;
const endpointsRemoved = aPod('web-1', 'n1', { endpointsRemoved: { by: 'run', originalLabels: {} } });

const leaves = (leaving: Partial<Leaving>, at: number) =>
  selfResolving({ pods: [], removedAt: {}, staleSince: {}, unreadySince: {}, drainedAt: {}, ...leaving }, waits, at);

describe('pods leave by themselves', () => {
  test('while they may use their grace period, and a little longer for the kubelet', () => {
    const terminating = aPod('web-1', 'n1', { terminating: true, killedAt: now + 5_000 });
    expect(leaves({ pods: [terminating] }, now)).toBe(true);
    expect(leaves({ pods: [terminating] }, now + 14_999)).toBe(true);
    expect(leaves({ pods: [terminating] }, now + 15_000)).toBe(false);
  });

  test('while it propagates that they are not ready', () => {
    const [pod] = [aPod('web-1', 'n1', { ready: false })];
    const unreadySince = { [pod.uid]: now };
    expect(leaves({ pods: [pod], unreadySince }, now + endpointRemovalMs(waits))).toBe(true);
    expect(leaves({ pods: [pod], unreadySince }, now + endpointRemovalMs(waits) + 10_000)).toBe(false);
  });

  test('while their removal from endpoints propagates', () => {
    const removedAt = { [endpointsRemoved.uid]: now };
    expect(leaves({ pods: [endpointsRemoved], removedAt }, now + endpointRemovalMs(waits))).toBe(true);
    expect(leaves({ pods: [endpointsRemoved], removedAt }, now + endpointRemovalMs(waits) + 10_000)).toBe(false);
  });

  test('while the endpoint slice controller may still get to their Service', () => {
    const staleSince = { [endpointsRemoved.uid]: now };
    expect(leaves({ pods: [endpointsRemoved], staleSince }, now + 1_000_000)).toBe(true);
    expect(leaves({ pods: [endpointsRemoved], staleSince }, now + 1_010_000)).toBe(false);
  });

  test('not when nobody has told them to', () => {
    expect(leaves({ pods: [aPod('web-1', 'n1')] }, now)).toBe(false);
    expect(leaves({ pods: [] }, now)).toBe(false);
  });
});

describe('the next pod may leave', () => {
  test('when the first of those that wait has waited long enough', () => {
    const removedAt = { first: now - 500, second: now };
    expect(nextDueMs(removedAt, waits, now)).toBe(endpointRemovalMs(waits) - 500);
  });

  test('at a time that does not depend on those that have waited', () => {
    expect(nextDueMs({ waited: now - endpointRemovalMs(waits), waits: now }, waits, now)).toBe(
      endpointRemovalMs(waits),
    );
    expect(nextDueMs({ waited: now - endpointRemovalMs(waits) }, waits, now)).toBeUndefined();
    expect(nextDueMs({}, waits, now)).toBeUndefined();
  });
});
