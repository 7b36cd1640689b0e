import { describe, expect, test } from 'vitest';
import { needsFix } from '../../../core/audit/audit.ts';
import { auditOf, webPods } from '../support/audited-cluster.ts';
import { anUnsupported, aPod, aPolicy } from '../support/facts.ts';

const { drain, guard } = aPolicy();
const metrics = aPod('metrics-1', 'n1', { hasEmptyDir: true });
const lone = aPod('lone-1', 'n1', { ownerKind: 'none', ownerName: '' });

describe.each([
  ['WKL-018', [...webPods(), metrics], { ...drain, deleteEmptyDirData: true }, ['warning', 'blocker', 'info']],
  ['WKL-017', [...webPods(), lone], { ...drain, force: true }, ['blocker', 'blocker', 'warning']],
])('%s', (rule, pods, allowed, severities) => {
  test('is judged by the policy, and as far as only a policy can decide it a warning without one', () => {
    const severityWith = (policy?: Parameters<typeof aPolicy>[0]) =>
      auditOf({ pods, ...(policy === undefined ? {} : { policy }) }).findings.find((one) => one.rule === rule)
        ?.severity;

    expect([severityWith(), severityWith({}), severityWith({ drain: allowed })]).toEqual(severities);
  });
});

describe('a load balancer that cannot be protected', () => {
  const unsupported = [anUnsupported('web')];

  test('is a blocker, whether there is a policy or not', () => {
    for (const changes of [{}, { policy: {} }])
      expect(auditOf({ unsupported, ...changes }).findings).toContainEqual(
        expect.objectContaining({ rule: 'SVC-028', severity: 'blocker' }),
      );
  });

  test('needs no fix where the policy accepts its loss', () => {
    const report = auditOf({ unsupported, policy: { guard: { ...guard, acceptUnprotected: ['default/web'] } } });
    const found = report.findings.filter(({ rule }) => rule === 'SVC-028');

    expect(found.map(({ accepted }) => accepted)).toEqual(['by spec.guard.acceptUnprotected of the policy']);
    expect(needsFix({ ...report, findings: found })).toBe(false);
  });
});
