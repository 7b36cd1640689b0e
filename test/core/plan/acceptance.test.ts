import { expect, test } from 'vitest';
import {
  acceptedServices,
  adviseAcceptance,
  describeAccepted,
  giveReasons,
  recordAccepted,
  withUnprotected,
} from '../../../core/plan/acceptance.ts';
import type { Finding } from '../../../core/plan/finding.ts';
import { refusal } from '../../../core/plan/refusal.ts';
import { aPolicy } from '../support/facts.ts';

const aFinding = (rule: string, changes: Partial<Finding> = {}): Finding => ({
  rule,
  severity: 'warning',
  subject: 'service default/web',
  message: 'it is so',
  hint: 'Change it.',
  ...changes,
});
const unwatched = aFinding('SVC-028', { severity: 'blocker', acceptableFor: ['default/web'] });
const bare = aFinding('WKL-017', { severity: 'blocker' });
const accepting = (...rules: string[]) => ({
  accept: Object.fromEntries(rules.map((rule) => [rule, 'its owner knows'])),
});

test('only the Services that blockers of accepted rules name now may lose connections', () => {
  const findings = [unwatched, bare, { ...unwatched, rule: 'WKL-034', acceptableFor: ['default/web', 'default/api'] }];
  expect(acceptedServices(findings, {})).toEqual([]);
  expect(acceptedServices(findings, accepting('WKL-017'))).toEqual([]);
  expect(acceptedServices([unwatched, bare], accepting('SVC-028'))).toEqual(['default/web']);
  expect(acceptedServices(findings, accepting('SVC-028', 'WKL-034'))).toEqual(['default/web', 'default/api']);
  // Another rule that nobody accepts names it too.
  expect(acceptedServices(findings, accepting('SVC-028'))).toEqual([]);
  expect(acceptedServices(findings, accepting('WKL-034'))).toEqual(['default/api']);
  const policy = withUnprotected(aPolicy(), ['default/web']);
  expect(withUnprotected(policy, ['default/web', 'default/api']).guard.acceptUnprotected).toEqual([
    'default/web',
    'default/api',
  ]);
});

test('a finding of an accepted rule has the reason, unless it still refuses the run', () => {
  const [warning, blocker] = giveReasons([aFinding('WKL-001'), bare], accepting('WKL-001', 'WKL-017'));
  expect(warning?.accepted).toBe('its owner knows');
  expect(blocker?.accepted).toBeUndefined();
  expect(giveReasons([aFinding('WKL-001')], accepting('toString'))[0]?.accepted).toBeUndefined();
});

test('what is recorded says what was found, also if it was nothing', () => {
  const recorded = recordAccepted([aFinding('WKL-001')], accepting('WKL-001', 'SVC-028'));
  expect(recorded.map(describeAccepted)).toEqual([
    'WKL-001 was accepted (its owner knows): service default/web: it is so',
    'SVC-028 was accepted (its owner knows): nothing was found',
  ]);
});

test('a refusal says which blockers can be accepted, and which can’t although somebody tried', () => {
  const policy = { ...aPolicy(), ...accepting('WKL-017') };
  const refused = refusal({
    findings: [unwatched, bare],
    oldPool: { cluster: 'c', region: 'r', name: 'web', provider: 'eks' },
    policy,
  });
  expect(refused?.hint).toBe(
    'Change it. Accepting WKL-017 does not help: the run could not go on. Or accept the loss, with the reason: --accept SVC-028="…".',
  );
  expect(adviseAcceptance([bare], {})).toEqual([]);
});
