import { expect, test } from 'vitest';
import { explainTraffic } from '../../../core/status/explain-traffic.ts';

const nine = Date.UTC(2026, 0, 5, 9, 0, 0);
const nothing = { sent: 0, lost: 0, slow: 0 };

test.each([
  ['without probes nothing was measured, which is no proof', 0, nothing, 'not measured: the policy has no probes'],
  ['what probes saw', 2, { sent: 12, lost: 1, slow: 3 }, '12 sent, 1 lost, 3 slow'],
  [
    'when nobody watched',
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
    '12 sent, 0 lost, 0 slow; not watched from 09:00:00 to 09:01:03, from 09:10:00 to 09:11:03 (2 m 6 s in all)',
  ],
])('tells %s', (_, probes, traffic, told) => {
  expect(explainTraffic({ probes, traffic })).toBe(told);
});
