import { expect, test } from 'vitest';
import { whyNotAccept } from '../../../core/run/accept-unprotected.ts';
import { policyOf } from '../../../core/run/state.ts';
import { aPolicy, withGuard } from '../support/facts.ts';
import { aRun, begun, play, upToReplace } from './play.ts';

const preview = { service: 'default/preview', by: 'ann', reason: 'nobody depends on previews', at: begun };
const ready = play(aRun(), ...upToReplace);
const accepted = play(ready, { type: 'accept-unprotected', ...preview });
const policy = aPolicy(withGuard({ acceptUnprotected: ['default/old'] }));

test('a Service that is accepted during a run is one that may lose connections, and is reported', () => {
  const before = policyOf(ready, policy).guard.acceptUnprotected;
  expect(policyOf(accepted, policy).guard.acceptUnprotected).toEqual([...before, 'default/preview']);
  expect(accepted.unprotected).toContain('default/preview: accepted during the run by ann: nobody depends on previews');
});

test('it is accepted with a reason, by its name, and once', () => {
  expect(whyNotAccept(ready, { ...preview, reason: ' ' })).toBe('it needs a reason');
  expect(whyNotAccept(ready, { ...preview, service: 'preview' })).toContain('as namespace/name');
  expect(whyNotAccept(ready, preview)).toBeUndefined();
  expect(whyNotAccept(accepted, preview)).toBe('default/preview was accepted already');
});
