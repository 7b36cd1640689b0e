import { describe, expect, test } from 'vitest';
import { leaveByThemselves, untilNextMayGo } from '../../../core/drain/leaving.ts';
import { unlistMs } from '../../../core/waits/formulas.ts';
import { aPod, aPolicy } from '../support/facts.ts';

const { waits } = aPolicy();
const now = 1_000_000;
const unlisted = aPod('web-1', 'n1', { unlisted: { by: 'run', originalLabels: {} } });

describe('pods leave by themselves', () => {
  test('while they may use their grace period, and a little longer for the kubelet', () => {
    const terminating = aPod('web-1', 'n1', { terminating: true, killedAt: now + 5_000 });
    expect(leaveByThemselves([terminating], {}, waits, now)).toBe(true);
    expect(leaveByThemselves([terminating], {}, waits, now + 14_999)).toBe(true);
    expect(leaveByThemselves([terminating], {}, waits, now + 15_000)).toBe(false);
  });

  test('while their leaving the endpoints spreads', () => {
    const unlistedAt = { [unlisted.uid]: now };
    expect(leaveByThemselves([unlisted], unlistedAt, waits, now + unlistMs(waits))).toBe(true);
    expect(leaveByThemselves([unlisted], unlistedAt, waits, now + unlistMs(waits) + 10_000)).toBe(false);
  });

  test('not when nobody has told them to', () => {
    expect(leaveByThemselves([aPod('web-1', 'n1')], {}, waits, now)).toBe(false);
    expect(leaveByThemselves([], {}, waits, now)).toBe(false);
  });
});

describe('the next pod may go', () => {
  test('when the first of those that wait has waited long enough', () => {
    const unlistedAt = { first: now - 500, second: now };
    expect(untilNextMayGo(unlistedAt, waits, now)).toBe(unlistMs(waits) - 500);
  });

  test('at a time that those who have waited say nothing of', () => {
    expect(untilNextMayGo({ waited: now - unlistMs(waits), waits: now }, waits, now)).toBe(unlistMs(waits));
    expect(untilNextMayGo({ waited: now - unlistMs(waits) }, waits, now)).toBeUndefined();
    expect(untilNextMayGo({}, waits, now)).toBeUndefined();
  });
});
