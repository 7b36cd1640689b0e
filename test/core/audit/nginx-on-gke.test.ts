/**
 * How ingress-nginx ends behind a passthrough load balancer of GKE, audited: as its chart has it, and as a report about draining it without dropped
 * requests recommends ("Graceful termination with externalTrafficPolicy Local", for GKE subsetting): `sleep` 10 s, readiness every 10 s with 3 failures,
 * grace period 30 s. Its condition is `sleep + period x (failures - 1) >= grace period`, since ingress-nginx fails its readiness at once on SIGTERM
 * (kubernetes/ingress-nginx issue 13689).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditOf, checkedBy, probed, webPods } from '../support/audited-cluster.ts';

/** Health check and draining as ingress-gce sets them for policy Local (kubernetes/ingress-gce pkg/l4/healthchecks, pkg/l4/backends). */
const onGke = {
  ...checkedBy({ intervalMs: 3_000, timeoutMs: 1_000, healthyThreshold: 1, unhealthyThreshold: 2 }),
  deregistrationDelayMs: 30_000,
  unhealthyLagMs: 5_000,
};

interface Ending {
  readonly sleep: number;
  readonly period: number;
  readonly failures: number;
  readonly grace: number;
}

const recommended: Ending = { sleep: 10, period: 10, failures: 3, grace: 30 };

/** Ids of the rules about the end of pods that find something. */
function rulesFor({ sleep, period, failures, grace }: Ending, command?: string): readonly string[] {
  const pods = webPods({
    preStopSeconds: sleep,
    terminationGracePeriodSeconds: grace,
    lifecycle: {
      ...probed,
      readiness: { container: 'server', periodSeconds: period, failureThreshold: failures },
      ...(command === undefined ? {} : { preStops: { server: { handler: 'exec', command } } }),
    },
  });
  const { findings } = auditOf({ pods, group: onGke });
  return findings.map(({ rule }) => rule).filter((rule) => /^WKL-0(?:09|10|11|12|33)$/.test(rule));
}

describe('readiness while a terminating pod serves', () => {
  test.each([
    ['as recommended, which is exactly enough', {}, false],
    ['with a sleep of one second less', { sleep: 9 }, true],
    ['with a period of one second less', { period: 9 }, true],
    ['with one failure less', { failures: 2 }, true],
    ['with a grace period of one second more', { grace: 31 }, true],
    ['with a sleep of one second more', { sleep: 11 }, false],
    ['with a period of one second more', { period: 11 }, false],
    ['with one failure more', { failures: 4 }, false],
    ['with a grace period of one second less', { grace: 29 }, false],
  ])('%s', (_, changes, found) => {
    expect(rulesFor({ ...recommended, ...changes }).includes('WKL-009')).toBe(found);
  });

  test('lasts for the grace period or is found, whatever the numbers are', () => {
    // Above 47 s it is the load balancer that ends connections first: 17 s until it has noticed, and 30 s of draining.
    const ending = fc.record({
      sleep: fc.integer({ min: 0, max: 40 }),
      period: fc.integer({ min: 1, max: 20 }),
      failures: fc.integer({ min: 1, max: 5 }),
      grace: fc.integer({ min: 1, max: 47 }),
    });
    fc.assert(
      fc.property(ending, (one) => {
        const { sleep, period, failures, grace } = one;
        expect(rulesFor(one).includes('WKL-009')).toBe(sleep + period * (failures - 1) < grace);
      }),
      { numRuns: 40 },
    );
  });
});

test('the hook of the chart is found, whatever readiness and grace period are', () => {
  expect(rulesFor({ sleep: 0, period: 10, failures: 3, grace: 300 }, '/wait-shutdown')).toEqual(
    expect.arrayContaining(['WKL-009', 'WKL-012', 'WKL-033']),
  );
});

test('the recommended sleep covers a health check of 6 s, and the audit asks for the bound of the proposal and a margin', () => {
  expect(rulesFor(recommended)).toEqual(['WKL-033']);
  const enough = 3 + (2 + 1) * 3 + 5 + 2;
  expect(rulesFor({ ...recommended, sleep: enough })).toEqual([]);
  expect(rulesFor({ ...recommended, sleep: enough - 1 })).toEqual(['WKL-033']);
});
