import { describe, expect, test } from 'vitest';
import { readAcceptances, withAccepted } from '../../client/accept-option.ts';
import { aPolicy } from '../core/support/facts.ts';

const known = ['SVC-028', 'WKL-034'];

describe('--accept', () => {
  test('has a rule and the reason, which may contain anything', () => {
    expect(readAcceptances(['svc-028=a = b, says Ann', 'WKL-034= because '], known)).toEqual({
      'SVC-028': 'a = b, says Ann',
      'WKL-034': 'because',
    });
  });

  test.each([
    ['SVC-028', /SVC-028 has no reason.*--accept SVC-028=/s],
    ['SVC-028=  ', /SVC-028 has no reason/],
    ['SVC-28=why', /there is no rule SVC-28\. Did you mean SVC-028\?/],
    ['=why', /there is no rule/],
    ['toString=why', /there is no rule toString\.$/m],
  ])('is refused as %j, with what to write', (text, says) => {
    let refused: unknown;
    try {
      readAcceptances([text], known);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ problem: { code: 'InvalidArgument' } });
    const { message, hint } = (refused as { problem: { message: string; hint: string } }).problem;
    expect(`${message}\n${hint}`).toMatch(says);
  });

  test('comes before what the policy says, and leaves it alone otherwise', () => {
    const policy = { ...aPolicy(), accept: { 'SVC-028': 'as written', 'WKL-001': 'one is enough' } };
    expect(withAccepted(policy, ['SVC-028=as of today']).accept).toEqual({
      'SVC-028': 'as of today',
      'WKL-001': 'one is enough',
    });
    expect(withAccepted(policy, [])).toBe(policy);
  });
});
