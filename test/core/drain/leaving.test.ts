import { describe, expect, test } from 'vitest';
import { leaveByThemselves } from '../../../core/drain/leaving.ts';
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
