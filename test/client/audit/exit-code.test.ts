import { expect, test } from 'vitest';
import { auditCommand, exitCodeOf } from '../../../client/commands/audit.ts';
import { acceptRules } from '../../../core/audit/audit.ts';
import { poor, sound, withoutCloud } from './fixture.ts';

const accepted = Object.fromEntries(poor.findings.map(({ rule }) => [rule, 'fine']));

test.each([
  ['0 when there is nothing to fix', sound, 0],
  ['0 when all of it is accepted', acceptRules(poor, accepted), 0],
  ['1 when there is something to fix', poor, 1],
  ['1 when there is, as far as was read', { ...poor, unread: withoutCloud.unread }, 1],
  ['6 when the rules that might have found something were left out', { ...sound, unread: withoutCloud.unread }, 6],
])('an audit ends with %s', (_, report, code) => {
  expect(exitCodeOf(report)).toBe(code);
});

test('a policy that cannot be read is an error before anything is asked', async () => {
  const limits = { service: undefined, pool: undefined, region: undefined };

  await expect(
    auditCommand({ ...limits, file: '/no/policy.yaml', output: 'json', accept: [], kubeconfig: '/no/kubeconfig' }),
  ).rejects.toMatchObject({ problem: { code: 'InvalidPolicy' } });
});
