import { expect, test } from 'vitest';
import { explainTraffic } from '../../../core/status/explain-traffic.ts';

const nothing = { sent: 0, lost: 0, slow: 0 };

test.each([
  ['without probes nothing was measured, which is no proof', 0, nothing, 'not measured: the policy has no probes'],
  ['what probes saw', 2, { sent: 12, lost: 1, slow: 3 }, '12 sent, 1 lost, 3 slow'],
  [
    'a time in which nobody watched',
    2,
    { sent: 12, lost: 0, slow: 0, unwatchedMs: 63_000 },
    '12 sent, 0 lost, 0 slow; nobody watched for 1 m 3 s, while no worker ran',
  ],
])('tells %s', (_, probes, traffic, told) => {
  expect(explainTraffic({ probes, traffic })).toBe(told);
});
