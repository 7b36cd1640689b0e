import { describe, expect, it } from 'vitest';

import { formatToken, parseToken } from '../../../adapters/kubernetes/ownership-marks.ts';
import { hasFence, mayFence } from '../../../core/model/fencing-token.ts';
import type { FencingToken } from '../../../core/model/node.ts';

const fence: FencingToken = { run: 'run-1', round: 2, step: 3, attempt: 4 };

describe('a fence on a node', () => {
  it('is read as it was written', () => {
    expect(formatToken(fence)).toBe('run-1 2.3.4');
    expect(parseToken('run-1 2.3.4')).toEqual(fence);
    const path = { ...fence, run: 'pool-upgrade/prod/web.5' };
    expect(parseToken(formatToken(path))).toEqual(path);
  });

  it('is none of ours in any other form', () => {
    for (const text of [undefined, '', 'run-1', 'run-1 2.3', 'run-1 2.3.4.5', 'run 1 2.3.4', 'run-1 2.3.x', ' 2.3.4'])
      expect(parseToken(text)).toBeUndefined();
  });

  it.each([
    ['of nobody', true, undefined],
    ['of another run', true, { ...fence, run: 'run-2', round: 9 }],
    ['of its own', true, fence],
    ['of an earlier attempt', true, { ...fence, attempt: 3 }],
    ['of an earlier step, however often that was tried', true, { ...fence, step: 2, attempt: 9 }],
    ['of an earlier round, however far that got', true, { ...fence, round: 1, step: 9 }],
    ['of a later attempt', false, { ...fence, attempt: 5 }],
    ['of a later step', false, { ...fence, step: 4, attempt: 1 }],
    ['of a later round', false, { ...fence, round: 3, step: 1, attempt: 1 }],
  ])('may take the place of one %s: %s', (_, may, current) => {
    expect(mayFence(fence, current)).toBe(may);
  });

  it('holds as long as the node has exactly that fence', () => {
    expect(hasFence(fence, { ...fence })).toBe(true);
    for (const other of [undefined, { ...fence, run: 'run-2' }, { ...fence, attempt: 5 }, { ...fence, attempt: 3 }])
      expect(hasFence(fence, other)).toBe(false);
  });
});
