import { describe, expect, it } from 'vitest';
import { type ClusterSubject, findRemovedFromEndpoints, seePod } from './cluster-subject.ts';

const really = { dryRun: false };

/** How pods are removed from endpoints, evicted and deleted, whoever keeps them. */
export function describePodsLeaving(name: string, subject: () => ClusterSubject): void {
  describe(`pods that leave ${name}`, () => {
    const serve = (pod: string, app: string) => subject().others.addPod(pod, { app });

    it('are removed from endpoints, found again and restored as they were', async () => {
      const { one, others } = subject();
      const labels = { app: 'shop', tier: 'front', 'pod-template-hash': 'abc' };
      const ref = await others.addPod('removed', labels);
      const before = (await seePod(subject(), 'removed'))?.labels;
      expect(await one.removeEndpoints(ref, ['app', 'tier', 'absent'], 'run-1')).toBe('done');
      expect(await one.removeEndpoints(ref, ['app', 'tier', 'absent'], 'run-1')).toBe('done');
      const endpointsRemoved = { by: 'run-1', originalLabels: { app: 'shop', tier: 'front' } };
      expect(await seePod(subject(), 'removed')).toMatchObject({
        labels: { 'pod-template-hash': 'abc' },
        endpointsRemoved,
      });
      expect((await seePod(subject(), 'removed'))?.labels).not.toHaveProperty('app');
      expect((await findRemovedFromEndpoints(subject(), 'run-1')).map((found) => found.name)).toEqual(['removed']);
      expect(await one.findLeftovers('run-1')).toEqual(['pod default/removed: removed labels app, tier']);

      expect(await one.restoreEndpoints(ref, 'run-2')).toBe('not-ours');
      expect(await one.restoreEndpoints(ref, 'run-1')).toBe('done');
      expect(await one.restoreEndpoints(ref, 'run-1')).toBe('not-ours');
      const restored = await seePod(subject(), 'removed');
      expect([restored?.labels, restored?.endpointsRemoved]).toEqual([before, undefined]);
      expect(await findRemovedFromEndpoints(subject(), 'run-1')).toEqual([]);
    });

    it('keep a label that somebody has set since when they are listed again', async () => {
      const { one, others } = subject();
      const ref = await serve('relabelled', 'shop');
      await one.removeEndpoints(ref, ['app'], 'run-1');
      await others.labelPod('relabelled', { app: 'new' });
      expect(await one.restoreEndpoints(ref, 'run-1')).toBe('done');
      expect((await seePod(subject(), 'relabelled'))?.labels).toMatchObject({ app: 'new' });
    });

    it('and were removed from endpoints by a run that is over are taken over with what it removed', async () => {
      const { one, others } = subject();
      const ref = await others.addPod('inherited', { app: 'shop', tier: 'front' });
      await one.removeEndpoints(ref, ['app'], 'run-0');
      await one.removeEndpoints(ref, ['tier'], 'run-3');
      expect(await one.restoreEndpoints(ref, 'run-0')).toBe('not-ours');
      expect(await one.restoreEndpoints(ref, 'run-3')).toBe('done');
      expect((await seePod(subject(), 'inherited'))?.labels).toMatchObject({ app: 'shop', tier: 'front' });
    });

    it('are evicted when no budget covers them', async () => {
      const ref = await serve('free', 'free');
      expect(await subject().one.evict(ref, really)).toEqual({ outcome: 'evicted' });
      expect((await seePod(subject(), 'free'))?.terminating ?? true).toBe(true);
    });

    it('stay when it is only asked', async () => {
      const ref = await serve('asked', 'asked');
      expect(await subject().one.evict(ref, { dryRun: true })).toEqual({ outcome: 'evicted' });
      expect(await seePod(subject(), 'asked')).toMatchObject({ terminating: false });
    });

    it('stay when their budget allows no more, and it is told who blocks and what it needs', async () => {
      const { one, others } = subject();
      const refs = [await serve('api-1', 'api'), await serve('api-2', 'api')];
      await others.addBudget('api', 2, 'api');
      const budget = (await one.observe()).budgets.find((found) => found.name === 'api');
      expect(budget).toMatchObject({
        currentHealthy: 2,
        desiredHealthy: 2,
        disruptionsAllowed: 0,
        demand: { field: 'minAvailable', amount: 2, isPercentage: false },
      });
      expect(budget?.podUids.toSorted()).toEqual(refs.map(({ uid }) => uid).toSorted());
      for (const ref of refs) {
        for (const dryRun of [true, false]) {
          expect(await one.evict(ref, { dryRun })).toMatchObject({
            outcome: 'blocked-by-budget',
            retryAfterMs: expect.any(Number),
            message: expect.stringMatching(/api needs 2 healthy pods and has 2/),
          });
        }
      }
    });

    it('go one by one when their budget allows one', async () => {
      const { one, others } = subject();
      const [first, second] = [await serve('web-1', 'web'), await serve('web-2', 'web')];
      await others.addBudget('web', 1, 'web');
      expect(await one.evict(first, really)).toEqual({ outcome: 'evicted' });
      expect(await one.evict(second, really)).toMatchObject({ outcome: 'blocked-by-budget' });
    });

    it('can’t be evicted at all when two budgets cover them', async () => {
      const { one, others } = subject();
      const ref = await serve('twice', 'twice');
      await others.addBudget('twice-a', 0, 'twice');
      await others.addBudget('twice-b', 0, 'twice');
      expect(await one.evict(ref, really)).toMatchObject({
        outcome: 'impossible',
        message: expect.stringContaining('more than one PodDisruptionBudget'),
      });
    });

    it('may be evicted again', async () => {
      const ref = await serve('again', 'again');
      expect(await subject().one.evict(ref, really)).toEqual({ outcome: 'evicted' });
      expect(['evicted', 'gone']).toContain((await subject().one.evict(ref, really)).outcome);
    });

    it('are deleted without being asked, once', async () => {
      const ref = await serve('deleted', 'deleted');
      expect(await subject().one.deletePod(ref)).toBe('done');
      expect((await seePod(subject(), 'deleted'))?.terminating ?? true).toBe(true);
    });

    it('are gone when they are not there, or have another UID now', async () => {
      const { one } = subject();
      const ref = await serve('twin', 'twin');
      for (const gone of [
        { ...ref, uid: 'another' },
        { ...ref, name: 'nobody' },
      ]) {
        expect(await one.removeEndpoints(gone, ['app'], 'run-1')).toBe('gone');
        expect(await one.restoreEndpoints(gone, 'run-1')).toBe('gone');
        expect(await one.evict(gone, really)).toEqual({ outcome: 'gone' });
        expect(await one.deletePod(gone)).toBe('gone');
      }
      expect(await seePod(subject(), 'twin')).toMatchObject({ terminating: false });
    });
  });
}
