import { describe, expect, it } from 'vitest';
import type { ClusterSubject } from './cluster-subject.ts';

/** How locks behave, whoever keeps them. */
export function describeLocks(name: string, subject: () => ClusterSubject): void {
  describe(`a lock, kept by ${name},`, () => {
    it('belongs to one holder, who may take it again and renew it', async () => {
      const { one, other } = subject();
      const lock = await one.acquireLock('single', 'run-1', 30_000);
      expect(lock).toEqual({ name: 'single', holder: 'run-1', token: 1 });
      await expect(other.acquireLock('single', 'run-2', 30_000)).rejects.toMatchObject({
        problem: { code: 'LockHeld', message: expect.stringContaining('held by run-1') },
      });
      expect(await one.acquireLock('single', 'run-1', 30_000)).toEqual(lock);
      await one.renewLock(lock, 30_000);
    });

    it('goes to another holder once it has expired, with a higher token, and is lost to the first', async () => {
      const { one, other, others } = subject();
      const old = await one.acquireLock('expiring', 'run-1', 30_000);
      await others.expireLock('expiring');
      const taken = await other.acquireLock('expiring', 'run-2', 30_000);
      expect(taken.token).toBe(old.token + 1);
      await expect(one.renewLock(old, 30_000)).rejects.toMatchObject({ problem: { code: 'LockLost' } });
      await one.releaseLock(old);
      await other.renewLock(taken, 30_000);
    });

    it('that its first holder takes again after another had it is a new one', async () => {
      const { one, other, others } = subject();
      const first = await one.acquireLock('again', 'run-1', 30_000);
      await others.expireLock('again');
      await other.acquireLock('again', 'run-2', 30_000);
      await others.expireLock('again');
      const second = await one.acquireLock('again', 'run-1', 30_000);
      expect(second.token).toBe(first.token + 2);
      await expect(one.renewLock(first, 30_000)).rejects.toMatchObject({ problem: { code: 'LockLost' } });
      await one.releaseLock(first);
      await one.renewLock(second, 30_000);
    });

    it('tells whether a holder has it, whatever the token, expired or not', async () => {
      const { one, other, others } = subject();
      await expect(one.requireLock('asked', 'run-1')).rejects.toMatchObject({
        problem: { code: 'LockLost', message: expect.stringContaining('it is gone') },
      });
      expect(await one.findHolder('asked')).toBeUndefined();
      await one.acquireLock('asked', 'run-1', 30_000);
      await other.requireLock('asked', 'run-1');
      await others.expireLock('asked');
      await other.requireLock('asked', 'run-1');
      expect(await one.findHolder('asked')).toBe('run-1');
      await other.acquireLock('asked', 'run-2', 30_000);
      await expect(one.requireLock('asked', 'run-1')).rejects.toMatchObject({
        problem: { code: 'LockLost', message: expect.stringContaining('run-2 holds it') },
      });
    });

    it('is claimed by the attempts of its run, each of which ends the earlier ones', async () => {
      const { one, other } = subject();
      const first = { run: 'run-1', round: 0, step: 7, attempt: 1 };
      const again = { ...first, attempt: 2 };
      const next = { ...first, step: 8 };
      await expect(one.fenceLock('claimed', first)).rejects.toMatchObject({ problem: { code: 'LockLost' } });
      const lock = await one.acquireLock('claimed', 'run-1', 30_000);
      await one.fenceLock('claimed', first);
      await one.fenceLock('claimed', first);
      await other.fenceLock('claimed', again);
      await expect(one.fenceLock('claimed', first)).rejects.toMatchObject({ problem: { code: 'Superseded' } });
      await other.fenceLock('claimed', next);
      await one.renewLock(lock, 30_000);
      await one.acquireLock('claimed', 'run-1', 30_000);
      await expect(other.fenceLock('claimed', again)).rejects.toMatchObject({ problem: { code: 'Superseded' } });
      await one.fenceLock('claimed', next);
    });

    it('that another has taken over is his to claim, and nobody else’s', async () => {
      const { one, other, others } = subject();
      const old = { run: 'run-1', round: 0, step: 7, attempt: 1 };
      const mine = { ...old, run: 'run-2', step: 1 };
      await one.acquireLock('inherited', 'run-1', 30_000);
      await one.fenceLock('inherited', old);
      await others.expireLock('inherited');
      await other.acquireLock('inherited', 'run-2', 30_000);
      await expect(one.fenceLock('inherited', old)).rejects.toMatchObject({ problem: { code: 'LockLost' } });
      await other.fenceLock('inherited', mine);
    });

    it('stays with a holder who renews late, as long as nobody has taken it', async () => {
      const { one, other, others } = subject();
      const lock = await one.acquireLock('late', 'run-1', 30_000);
      await others.expireLock('late');
      await one.renewLock(lock, 30_000);
      const refused = other.acquireLock('late', 'run-2', 30_000);
      await expect(refused).rejects.toMatchObject({ problem: { code: 'LockHeld' } });
    });

    it('goes to exactly one of many who want it at once', async () => {
      const { one, other } = subject();
      const wanted = Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? one : other).acquireLock('contended', `racer-${index}`, 30_000),
      );
      const results = await Promise.allSettled(wanted);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.problem.code] : []));
      expect(new Set(refusals)).toEqual(new Set(['LockHeld']));
    });

    it('leaves nothing behind when released, and is lost to whoever still holds on', async () => {
      const { one } = subject();
      const lock = await one.acquireLock('released', 'run-1', 30_000);
      await one.releaseLock(lock);
      await one.releaseLock(lock);
      expect((await one.findLocks('run-1')).map((left) => left.name)).not.toContain('released');
      await expect(one.renewLock(lock, 30_000)).rejects.toMatchObject({ problem: { code: 'LockLost' } });
    });

    it('tells the pool that its holder brings up, until it is released', async () => {
      const { one, other } = subject();
      const lock = await one.acquireLock('bringing', 'run-1', 30_000, 'web-1-36');
      expect(await other.findIncomingPools()).toContain('web-1-36');
      await one.fenceLock('bringing', { run: 'run-1', round: 0, step: 1, attempt: 1 });
      await one.renewLock(lock, 30_000);
      expect(await other.findIncomingPools()).toContain('web-1-36');
      expect(await other.findRunsMovingTo('web-1-36')).toEqual(['run-1']);
      expect(await other.findRunsMovingTo('web-1-37')).toEqual([]);
      await one.releaseLock(lock);
      expect(await other.findIncomingPools()).not.toContain('web-1-36');
      expect(await other.findRunsMovingTo('web-1-36')).toEqual([]);
    });

    it('is found by the run that holds it, under its own name or in that of a step', async () => {
      const { one } = subject();
      const own = await one.acquireLock('nodeferry-prod-found', 'run-8', 30_000);
      const ofStep = await one.acquireLock('nodeferry-of-a-step', 'run-8/workflow.3.1', 30_000);
      expect(await one.findLocks('run-8')).toEqual(expect.arrayContaining([own, ofStep]));
      expect(await one.findLocks('run-88')).toEqual([]);
      await one.releaseLock(ofStep);
      expect(await one.findLocks('run-8')).toEqual([own]);
      expect(await one.findLeftovers('run-8')).toEqual(['lease nodeferry/nodeferry-prod-found']);
      await one.releaseLock(own);
      expect(await one.findLeftovers('run-8')).toEqual([]);
    });
  });
}
