import { expect, test } from 'vitest';
import { explainUnpropagated } from '../../../core/eviction/outage.ts';
import { aPolicy, withWaits } from '../support/facts.ts';

const now = 1_000_000;

test('kube-proxies get as long as they may need to reconnect, and then as long as every change of endpoints', () => {
  expect(explainUnpropagated({ outageAt: now }, aPolicy().waits, now)).toMatch(/need another 1m 18s to reconnect/);
  expect(explainUnpropagated({ outageAt: now - 78_000 }, aPolicy().waits, now)).toBeUndefined();
});

test('nothing is waited for without an outage, or where the policy switches that off', () => {
  const { waits } = aPolicy(withWaits({ stabilizationAfterOutageMs: 0 }));
  expect(explainUnpropagated({}, aPolicy().waits, now)).toBeUndefined();
  expect(explainUnpropagated({ outageAt: now }, waits, now)).toBeUndefined();
});
