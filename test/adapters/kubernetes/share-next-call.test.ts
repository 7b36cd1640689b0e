import { describe, expect, it } from 'vitest';

import { shareNextCall } from '../../../adapters/kubernetes/caches.ts';

describe('callers who share calls', () => {
  /** A call that ends when told to, and answers with its number. */
  function numbered() {
    const pending: { readonly end: () => void; readonly fail: () => void }[] = [];
    const call = () => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const number = pending.length + 1;
      pending.push({ end: () => resolve(number), fail: () => reject(new Error(`call ${number} failed`)) });
      return promise;
    };
    return { pending, shared: shareNextCall(call) };
  }

  it('get a call that starts after they asked, never one that is already running', async () => {
    const { pending, shared } = numbered();
    const first = [shared(), shared()];
    await Promise.resolve();
    const late = [shared(), shared()];
    expect(pending).toHaveLength(1);
    pending[0]?.end();
    expect(await Promise.all(first)).toEqual([1, 1]);
    await expect.poll(() => pending.length).toBe(2);
    pending[1]?.end();
    expect(await Promise.all(late)).toEqual([2, 2]);
  });

  it('are not harmed by the failure of the call before', async () => {
    const { pending, shared } = numbered();
    const first = shared();
    await Promise.resolve();
    const second = shared();
    pending[0]?.fail();
    await expect(first).rejects.toThrow('call 1 failed');
    await expect.poll(() => pending.length).toBe(2);
    pending[1]?.end();
    expect(await second).toBe(2);
  });
});
