import { describe, expect, it } from 'vitest';

import { formatClaim, parseClaim } from '../../../adapters/kubernetes/marks.ts';
import { hasClaim, mayClaim } from '../../../core/model/claim.ts';
import type { NodeClaim } from '../../../core/model/node.ts';

const claim: NodeClaim = { run: 'run-1', round: 2, step: 3, attempt: 4 };

describe('a claim on a node', () => {
  it('is read as it was written', () => {
    expect(formatClaim(claim)).toBe('run-1 2.3.4');
    expect(parseClaim('run-1 2.3.4')).toEqual(claim);
    const path = { ...claim, run: 'pool-upgrade/prod/web.5' };
    expect(parseClaim(formatClaim(path))).toEqual(path);
  });

  it('is none of ours in any other form', () => {
    for (const text of [undefined, '', 'run-1', 'run-1 2.3', 'run-1 2.3.4.5', 'run 1 2.3.4', 'run-1 2.3.x', ' 2.3.4'])
      expect(parseClaim(text)).toBeUndefined();
  });

  it.each([
    ['of nobody', true, undefined],
    ['of another run', true, { ...claim, run: 'run-2', round: 9 }],
    ['of its own', true, claim],
    ['of an earlier attempt', true, { ...claim, attempt: 3 }],
    ['of an earlier step, however often that was tried', true, { ...claim, step: 2, attempt: 9 }],
    ['of an earlier round, however far that got', true, { ...claim, round: 1, step: 9 }],
    ['of a later attempt', false, { ...claim, attempt: 5 }],
    ['of a later step', false, { ...claim, step: 4, attempt: 1 }],
    ['of a later round', false, { ...claim, round: 3, step: 1, attempt: 1 }],
  ])('may take the place of one %s: %s', (_, may, current) => {
    expect(mayClaim(claim, current)).toBe(may);
  });

  it('holds as long as the node has that very claim', () => {
    expect(hasClaim(claim, { ...claim })).toBe(true);
    for (const other of [undefined, { ...claim, run: 'run-2' }, { ...claim, attempt: 5 }, { ...claim, attempt: 3 }])
      expect(hasClaim(claim, other)).toBe(false);
  });
});
