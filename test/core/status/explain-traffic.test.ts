import { expect, test } from 'vitest';
import { describeTraffic } from '../../../core/status/describe-traffic.ts';

const nine = Date.UTC(2026, 0, 5, 9, 0, 0);
const nothing = { sent: 0, lost: 0, slow: 0 };

test.each([
  [
    'without probes nothing was measured, which is not the same as no loss',
    0,
    nothing,
    'not measured: the policy has no probes',
  ],
  ['what probes measured', 2, { sent: 12, lost: 1, slow: 3 }, '12 sent, 1 lost, 3 slow'],
  [
    'what was lost while no node was out',
    2,
    { sent: 12, lost: 3, slow: 0, losses: [{ probe: 'web', lost: 3, whileNoneOut: 1, spells: [] }] },
    '12 sent, 3 lost (1 of them while no node of the run was out), 0 slow',
  ],
  [
    'that all was lost while no node was out',
    2,
    { sent: 12, lost: 2, slow: 0, losses: [{ probe: 'web', lost: 2, whileNoneOut: 2, spells: [] }] },
    '12 sent, 2 lost (all while no node of the run was out), 0 slow',
  ],
  [
    'when there was no monitor',
    2,
    {
      sent: 12,
      lost: 0,
      slow: 0,
      unwatchedMs: 126_000,
      unwatched: [
        { from: nine, to: nine + 63_000 },
        { from: nine + 600_000, to: nine + 663_000 },
      ],
    },
    '12 sent, 0 lost, 0 slow; not watched from 09:00:00 to 09:01:03, from 09:10:00 to 09:11:03 (2m 6s in all)',
  ],
])('says %s', (_, probes, traffic, told) => {
  expect(describeTraffic({ probes, traffic })).toBe(told);
});
