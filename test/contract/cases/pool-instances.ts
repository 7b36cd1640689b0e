import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SuspensionToken } from '../../../core/model/pool.ts';
import { entriesOf, tokenOf } from '../../support/suspension.ts';
import { autoScalingGroups, type PoolTraits } from './pool-traits.ts';
import { createPool, liveInstances, type OpenPools, type PoolsSubject } from './pools-subject.ts';
import { refusal } from './refusal.ts';

/** How scaling is suspended, and how single instances leave them. */
export function describePoolInstances(where: string, open: OpenPools, traits: PoolTraits = autoScalingGroups): void {
  const [firstZone, secondZone] = traits.zones;
  describe(`instances in pools of ${where}`, () => {
    let subject: PoolsSubject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(async () => await subject.close());
    const web = async () => await subject.pools.describePool(subject.web);
    const suspend = async () => await subject.pools.scaling.suspend(subject.web);
    const restore = async (suspended?: SuspensionToken) => await subject.pools.scaling.restore(subject.web, suspended);
    const resting = () => subject.cloud.suspended(subject.web).toSorted();
    const inZone = async (zone: string) =>
      (await subject.pools.observeInstances(subject.web))
        .filter((one) => one.zone === zone && (one.state === 'pending' || one.state === 'running'))
        .map(({ instanceId }) => instanceId);
    const end = async (ids: readonly string[], pool = subject.web) => {
      for (const id of ids) await subject.pools.terminateInstance(pool, id);
    };

    describe('holding a pool', () => {
      test('suspends what moves instances, takes the minimum away, and tells both, the same each time', async () => {
        const suspended = await suspend();
        expect(entriesOf(suspended).toSorted()).toEqual(traits.suspension);
        expect(await suspend()).toEqual(suspended);
        expect(resting()).toEqual(traits.processes);
        expect(await web()).toMatchObject({
          status: 'active',
          minSize: 0,
          desiredSize: 4,
          suspended: { token: suspended },
        });
        expect((await web()).suspended?.what.toSorted()).toEqual(traits.suspensionInWords);
      });

      test('leaves to others what they have suspended, also when it ends', async () => {
        await subject.cloud.suspend(subject.web, traits.suspendable);
        const suspended = await suspend();
        expect(entriesOf(suspended)).not.toContain(traits.suspendable);
        expect(await restore(suspended)).toEqual([]);
        expect(resting()).toEqual([traits.suspendable]);
      });

      test('waits with a Conflict while the pool has nothing to be suspended by', async () => {
        const ref = await createPool(subject);
        expect(await refusal(subject.pools.scaling.suspend(ref))).toBe('Conflict');
        subject.cloud.settle();
        expect(entriesOf(await subject.pools.scaling.suspend(ref))).toContain(traits.minimumEntry);
      });

      test('ends with all of it restored, from the caller or from what the pool itself keeps, and may end again', async () => {
        const suspended = await suspend();
        expect(await restore(suspended)).toEqual([]);
        expect(await restore(suspended)).toEqual([]);
        expect(resting()).toEqual([]);
        await suspend();
        expect(await restore()).toEqual([]);
        expect(resting()).toEqual([]);
        const facts = await web();
        expect(facts).toMatchObject({ minSize: 2, desiredSize: 4, maxSize: 8 });
        expect(facts.suspended).toBeUndefined();
      });

      test('restores no higher minimum than there are instances, so that none is launched', async () => {
        const suspended = await suspend();
        await end((await liveInstances(subject, subject.web)).slice(0, 3));
        subject.cloud.settle();
        await restore(suspended);
        subject.cloud.settle();
        expect(await web()).toMatchObject({ minSize: traits.restoredMinimum(1), desiredSize: 1 });
        expect(await liveInstances(subject, subject.web)).toHaveLength(1);
      });

      test('keeps instances in their zones while single ones leave', async () => {
        await suspend();
        await end(await inZone(firstZone));
        subject.cloud.settle();
        expect(await inZone(secondZone)).toHaveLength(2);
        expect(await liveInstances(subject, subject.web)).toHaveLength(2);
      });

      test.runIf(traits.rebalances)(
        'is kept up, and told, where its end would make a serving instance move to another zone',
        async () => {
          const suspended = await suspend();
          await end(await inZone(firstZone));
          subject.cloud.settle();
          const before = await inZone(secondZone);
          expect((await restore(suspended)).join()).toContain('AZRebalance');
          subject.cloud.settle();
          expect(resting()).toEqual(['AZRebalance']);
          expect((await web()).suspended).toEqual({ token: tokenOf('AZRebalance'), what: ['AZRebalance'] });
          expect(await inZone(secondZone)).toEqual(before);
        },
      );

      test('ends well for a pool that is going or gone', async () => {
        const suspended = await suspend();
        await end(await liveInstances(subject, subject.web));
        subject.cloud.settle();
        await subject.pools.replacement.deletePool(subject.web, {});
        expect(await restore(suspended)).toEqual([]);
        subject.cloud.settle();
        expect(await restore(suspended)).toEqual([]);
      });
    });

    describe('zones', () => {
      test.runIf(traits.rebalances)(
        'are evened out in a pool that is not suspended, at the cost of an instance that runs',
        async () => {
          await end(await inZone(firstZone));
          const before = await inZone(secondZone);
          expect(before).toHaveLength(2);
          subject.cloud.settle();
          const after = await inZone(secondZone);
          expect(before).toEqual(expect.arrayContaining([...after]));
          expect([after.length, (await inZone(firstZone)).length]).toEqual([1, 1]);
        },
      );
    });

    describe('an instance', () => {
      test('ends, that very one, and its pool is smaller by one', async () => {
        const [victim = '', ...others] = await liveInstances(subject, subject.web);
        expect(await subject.pools.terminateInstance(subject.web, victim)).toEqual({ outcome: 'terminating' });
        expect(await subject.pools.observeInstance(subject.web, victim)).toBe('terminating');
        subject.cloud.settle();
        expect(await subject.pools.observeInstance(subject.web, victim)).toBe('terminated');
        expect((await liveInstances(subject, subject.web)).toSorted()).toEqual(others.toSorted());
        expect((await web()).desiredSize).toBe(3);
      });

      test('ends once, however often it is asked, while it goes on and after', async () => {
        const [victim = ''] = await liveInstances(subject, subject.web);
        await end([victim]);
        expect(await subject.pools.terminateInstance(subject.web, victim)).toEqual({ outcome: 'already' });
        subject.cloud.settle();
        expect(await subject.pools.terminateInstance(subject.web, victim)).toEqual({ outcome: 'already' });
        expect((await web()).desiredSize).toBe(3);
      });

      test('of another pool is not ended', async () => {
        const [foreign = ''] = await liveInstances(subject, subject.other);
        expect(await refusal(subject.pools.terminateInstance(subject.web, foreign))).toBe('NotOwned');
        expect(await subject.pools.observeInstance(subject.web, foreign)).toBe('running');
        expect((await web()).desiredSize).toBe(4);
      });

      test('that nobody knows is gone', async () => {
        const unknown = 'i-0123456789abcdef0';
        expect(await subject.pools.observeInstance(subject.web, unknown)).toBe('terminated');
        expect(await subject.pools.terminateInstance(subject.web, unknown)).toEqual({ outcome: 'already' });
      });

      test('at the minimum of a pool that is not suspended stays', async () => {
        const [first = '', second = '', third = ''] = await liveInstances(subject, subject.web);
        await end([first, second]);
        expect(await refusal(subject.pools.terminateInstance(subject.web, third))).toBe('ProviderRefused');
        expect(await subject.pools.observeInstance(subject.web, third)).toBe('running');
        expect((await web()).desiredSize).toBe(2);
      });

      test('of a suspended pool can leave, to the last one', async () => {
        await suspend();
        await end(await liveInstances(subject, subject.web));
        subject.cloud.settle();
        expect(await web()).toMatchObject({ desiredSize: 0, instances: [] });
      });

      test('of a pool that a run made takes the minimum down with it, whole or not', async () => {
        const ref = await createPool(subject, { size: 2 });
        subject.cloud.begin();
        const [first = '', second = ''] = await liveInstances(subject, ref);
        await end([first], ref);
        expect(await subject.pools.describePool(ref)).toMatchObject({ desiredSize: 1, minSize: 1 });
        await end([second], ref);
        subject.cloud.settle();
        expect(await subject.pools.describePool(ref)).toMatchObject({ desiredSize: 0, minSize: 0, instances: [] });
      });

      test.skipIf(traits.repairsInPlace)('that somebody ended behind the pool’s back is replaced', async () => {
        const [victim = ''] = await liveInstances(subject, subject.web);
        await subject.cloud.terminateInstance(victim);
        subject.cloud.settle();
        expect(await liveInstances(subject, subject.web)).toHaveLength(4);
        expect(await liveInstances(subject, subject.web)).not.toContain(victim);
        expect(await subject.pools.terminateInstance(subject.web, victim)).toEqual({ outcome: 'already' });
        expect((await web()).desiredSize).toBe(4);
      });

      test.runIf(traits.repairsInPlace)(
        'that somebody ended behind the pool’s back comes back, suspended or not',
        async () => {
          await suspend();
          const before = await liveInstances(subject, subject.web);
          await subject.cloud.terminateInstance(before[0] ?? '');
          subject.cloud.settle();
          expect((await liveInstances(subject, subject.web)).toSorted()).toEqual(before.toSorted());
          expect((await web()).desiredSize).toBe(4);
        },
      );

      test.skipIf(traits.repairsInPlace)(
        'that was ended so in a suspended pool still counts in it, until it is taken out',
        async () => {
          await suspend();
          const [victim = ''] = await liveInstances(subject, subject.web);
          await subject.cloud.terminateInstance(victim);
          subject.cloud.settle();
          expect(await subject.pools.observeInstance(subject.web, victim)).toBe('terminated');
          expect(await liveInstances(subject, subject.web)).toContain(victim);
          expect(await subject.pools.terminateInstance(subject.web, victim)).toEqual({ outcome: 'terminating' });
          subject.cloud.settle();
          expect(await liveInstances(subject, subject.web)).toHaveLength(3);
          expect(await web()).toMatchObject({ desiredSize: 3 });
        },
      );
    });
  });
}
