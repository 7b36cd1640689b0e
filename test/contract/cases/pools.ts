import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { liveZones, type PoolRef } from '../../../core/model/pool.ts';
import { divideByNeed } from '../../../core/surge/zoned-size.ts';
import { autoScalingGroups, type PoolTraits } from './pool-traits.ts';
import { createPool, liveInstances, type OpenPools, type PoolsSubject } from './pools-subject.ts';
import { refusal } from './refusal.ts';

/** How pools are told of, made and deleted. */
export function describePools(where: string, open: OpenPools, traits: PoolTraits = autoScalingGroups): void {
  const { sizeFor } = traits;
  describe(`pools of ${where}`, () => {
    let subject: PoolsSubject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(async () => await subject.close());
    const find = async (name: string) => await subject.pools.findPool({ ...subject.web, name });

    describe('a pool', () => {
      test('tells sizes, zones, labels and instances, and no creator or hold where there is none', async () => {
        const { pools, web } = subject;
        const facts = await pools.describePool(web);
        expect(facts).toMatchObject({
          ref: web,
          status: 'active',
          desiredSize: 4,
          minSize: 2,
          maxSize: 8,
          problems: [],
        });
        expect(facts.zones).toEqual(traits.zones);
        expect(facts.labels).toMatchObject({ tier: 'web', [traits.poolLabel]: 'web' });
        expect(facts.instances.map(({ state }) => state)).toEqual(['running', 'running', 'running', 'running']);
        expect(facts.instances.filter(({ zone }) => zone === traits.zones[0])).toHaveLength(2);
        expect(facts.suspended).toBeUndefined();
        expect(facts.createdBy).toBeUndefined();
      });

      test('that is not there is PoolNotFound, or undefined where that was asked', async () => {
        const missing = { ...subject.web, name: 'nope' };
        expect(await refusal(subject.pools.describePool(missing))).toBe('PoolNotFound');
        expect(await refusal(subject.pools.observeInstances(missing))).toBe('PoolNotFound');
        expect(await find('nope')).toBeUndefined();
      });

      test('in a cluster that is not there is PoolNotFound even where a missing pool would be fine', async () => {
        const elsewhere = { ...subject.web, cluster: 'dev' };
        expect(await refusal(subject.pools.findPool(elsewhere))).toBe('PoolNotFound');
      });
    });

    describe('a replacement of a pool with three nodes in one zone and one in the other', () => {
      const [first, second] = traits.zones;
      const needs = { [first]: 3, [second]: 1 };
      const zonesOf = async (ref: PoolRef) => liveZones(await subject.pools.describePool(ref));

      test('has in each zone what the traits of its provider say', async () => {
        const ref = await createPool(subject, { size: 4, zones: needs });
        subject.cloud.settle();
        expect(await zonesOf(ref)).toEqual(traits.spread(needs));
      });

      test('that has grown to that in steps has what they say of that', async () => {
        const { pools } = subject;
        const ref = await createPool(subject, { size: 1, zones: divideByNeed(1, needs) });
        subject.cloud.settle();
        for (const size of [2, 3, 4, 4]) {
          await pools.replacement.resize(ref, { size, zones: divideByNeed(size, needs), run: 'run-1' });
          subject.cloud.settle();
        }
        expect(await zonesOf(ref)).toEqual(traits.grows(needs));
      });
    });

    describe('a replacement', () => {
      test('has the new version, the size asked for, and the sizes and labels of its source', async () => {
        const ref = await createPool(subject, { size: 3 });
        subject.cloud.settle();
        const facts = await subject.pools.describePool(ref);
        expect(facts).toMatchObject({
          status: 'active',
          version: '1.36',
          desiredSize: sizeFor(3),
          minSize: 2,
          maxSize: 8,
        });
        expect(facts).toMatchObject({ createdBy: 'run-1', labels: { tier: 'web' } });
        expect(facts.labels[traits.poolLabel]).toBe('web-new');
        expect(await liveInstances(subject, ref)).toHaveLength(sizeFor(3));
      });

      test('is not whole at once', async () => {
        expect(await subject.pools.describePool(await createPool(subject))).toMatchObject({
          status: 'creating',
          desiredSize: 4,
          instances: [],
        });
      });

      test('that is smaller than its source’s minimum lowers that', async () => {
        const ref = await createPool(subject, { size: 1 });
        subject.cloud.settle();
        expect(await subject.pools.describePool(ref)).toMatchObject({ desiredSize: sizeFor(1), minSize: sizeFor(1) });
      });

      test('of a suspended source has the minimum that the source’s owner chose', async () => {
        await subject.pools.scaling.suspend(subject.web);
        const ref = await createPool(subject);
        const facts = await subject.pools.describePool(ref);
        expect(facts.minSize).toBe(2);
        expect(facts.suspended?.what).toEqual(traits.changedInReplacement);
      });

      test('is made once, however often it is asked for, one after another or at once', async () => {
        await Promise.all([createPool(subject), createPool(subject)]);
        subject.cloud.settle();
        const ref = await createPool(subject);
        expect(await liveInstances(subject, ref)).toHaveLength(4);
      });

      test('does not take the place of a pool that another run made, or nobody of ours', async () => {
        await createPool(subject);
        expect(await refusal(createPool(subject, { run: 'run-2' }))).toBe('ProviderRefused');
        expect(await refusal(createPool(subject, { poolName: subject.other.name }))).toBe('ProviderRefused');
      });

      test('is found by the pool that it replaces, also when that is gone, and by no other', async () => {
        const { pools, web, other, cloud } = subject;
        const ref = await createPool(subject);
        cloud.settle();
        await pools.scaling.suspend(web);
        for (const id of await liveInstances(subject, web)) await pools.terminateInstance(web, id);
        cloud.settle();
        await pools.replacement.deletePool(web, {});
        cloud.settle();
        expect(await find(web.name)).toBeUndefined();
        expect((await pools.replacement.findReplacements(web)).map((pool) => pool.ref)).toEqual([ref]);
        expect(await pools.replacement.findReplacements(other)).toEqual([]);
      });

      test('for which there are no instances tells it, and asked for anew says CapacityUnavailable once it has failed', async () => {
        subject.cloud.refuseLaunches();
        const ref = await createPool(subject);
        subject.cloud.begin();
        const young = await subject.pools.describePool(ref);
        expect(young).toMatchObject({ status: 'creating', instances: [] });
        expect(young.problems.join()).toMatch(traits.noCapacity);
        await createPool(subject);
        subject.cloud.settle();
        expect((await subject.pools.describePool(ref)).status).toBe('failed');
        expect(await refusal(createPool(subject))).toBe('CapacityUnavailable');
      });
    });

    describe('a replacement that grows', () => {
      test('has the instances that it is asked for, and with them the minimum of its source’s owner', async () => {
        const { pools, web, cloud } = subject;
        const ref = await createPool(subject, { size: 1 });
        cloud.settle();
        const before = await liveInstances(subject, ref);
        await pools.scaling.suspend(web);
        await pools.replacement.resize(ref, { size: 3, run: 'run-1' });
        cloud.settle();
        expect(await pools.describePool(ref)).toMatchObject({
          status: 'active',
          desiredSize: 3,
          minSize: 2,
          maxSize: 8,
        });
        expect(await liveInstances(subject, ref)).toHaveLength(3);
        expect(await liveInstances(subject, ref)).toEqual(expect.arrayContaining([...before]));
      });

      test('may be asked again, and never shrinks', async () => {
        const { pools, cloud } = subject;
        const ref = await createPool(subject, { size: 2 });
        cloud.settle();
        const grow = async (size: number) => await pools.replacement.resize(ref, { size, run: 'run-1' });
        await grow(3);
        await grow(3);
        await grow(1);
        cloud.settle();
        expect(await pools.describePool(ref)).toMatchObject({ desiredSize: 3, minSize: 2 });
        expect(await liveInstances(subject, ref)).toHaveLength(3);
      });

      test('beyond the maximum of its source raises that', async () => {
        const { pools, cloud } = subject;
        const ref = await createPool(subject, { size: 1 });
        cloud.settle();
        await pools.replacement.resize(ref, { size: 9, run: 'run-1' });
        expect(await pools.describePool(ref)).toMatchObject({ desiredSize: 9, maxSize: 9 });
      });

      test('is one that the run made, or nothing happens', async () => {
        const { pools, web, cloud } = subject;
        const ref = await createPool(subject, { size: 2 });
        cloud.settle();
        expect(await refusal(pools.replacement.resize(ref, { size: 3, run: 'run-2' }))).toBe('NotOwned');
        expect(await refusal(pools.replacement.resize(web, { size: 6, run: 'run-1' }))).toBe('NotOwned');
        expect(await pools.describePool(ref)).toMatchObject({ desiredSize: 2 });
        expect(await pools.describePool(web)).toMatchObject({ desiredSize: 4 });
      });

      test('and for which there are no instances tells it; it can do without them, and none comes or goes then', async () => {
        const { pools, cloud } = subject;
        const ref = await createPool(subject, { size: 2 });
        cloud.settle();
        const before = await liveInstances(subject, ref);
        cloud.refuseLaunches();
        await pools.replacement.resize(ref, { size: 4, run: 'run-1' });
        cloud.begin();
        expect((await pools.describePool(ref)).problems.join()).toMatch(traits.noCapacity);
        await pools.size.trimPool(ref);
        await pools.size.trimPool(ref);
        expect(await pools.describePool(ref)).toMatchObject({ desiredSize: 2, minSize: 2 });
        expect(cloud.suspended(ref)).toEqual(traits.trimSuspends);
        cloud.settle();
        expect(await liveInstances(subject, ref)).toEqual(before);
        await pools.scaling.restore(ref, undefined);
        expect(cloud.suspended(ref)).toEqual([]);
      });

      test('and has all that it should have has nothing to do without', async () => {
        const { pools, cloud } = subject;
        const ref = await createPool(subject, { size: 2 });
        cloud.settle();
        await pools.size.trimPool(ref);
        expect(await pools.describePool(ref)).toMatchObject({ desiredSize: 2, minSize: 2 });
        expect(cloud.suspended(ref)).toEqual([]);
      });
    });

    describe('a replacement may not shrink below what was asked for', () => {
      const owners = 2;
      const fewest = (ref: PoolRef) => subject.cloud.fewest(ref);
      const hasOwners = async (ref: PoolRef) => {
        expect(fewest(ref)).toBe(owners);
        expect(await subject.pools.describePool(ref)).toMatchObject({ minSize: owners });
        expect((await subject.pools.describePool(ref)).suspended).toBeUndefined();
      };

      /** A replacement of three, which has grown to four. */
      const createAndGrow = async () => {
        const { pools, web, cloud } = subject;
        const ref = await createPool(subject, { size: 3 });
        cloud.begin();
        expect(fewest(ref)).toBe(sizeFor(3));
        cloud.settle();
        await pools.scaling.suspend(web);
        await pools.replacement.resize(ref, { size: 4, run: 'run-1' });
        cloud.settle();
        expect(fewest(ref)).toBe(4);
        return ref;
      };

      test('until the pool that it replaces is deleted, however often that is requested', async () => {
        const { pools, web, cloud } = subject;
        const ref = await createAndGrow();
        for (const id of await liveInstances(subject, web)) await pools.terminateInstance(web, id);
        cloud.settle();
        expect(fewest(ref)).toBe(4);
        await pools.replacement.deletePool(web, {});
        await hasOwners(ref);
        cloud.settle();
        await pools.replacement.deletePool(web, {});
        await hasOwners(ref);
      });

      test('until its scaling is restored, whether or not it was suspended', async () => {
        const { pools } = subject;
        const ref = await createAndGrow();
        expect((await pools.describePool(ref)).suspended?.what).toEqual(traits.changedInReplacement);
        await pools.scaling.restore(ref, undefined);
        await hasOwners(ref);
        await pools.scaling.restore(ref, await pools.scaling.suspend(ref));
        await hasOwners(ref);
      });

      test('until it is suspended, and then restored as its owner chose', async () => {
        const { pools } = subject;
        const ref = await createAndGrow();
        const token = await pools.scaling.suspend(ref);
        expect(fewest(ref)).toBe(0);
        await pools.scaling.restore(ref, token);
        await hasOwners(ref);
      });

      test('and a replacement of that has the minimum of the first owner', async () => {
        const { pools, cloud } = subject;
        const source = await createAndGrow();
        const target = {
          poolName: 'web-newer',
          version: '1.36',
          releaseVersion: undefined,
          launchTemplateVersion: undefined,
        };
        await pools.replacement.createPool({ source, target, size: 4, run: 'run-2', token: 'run-2/surge' });
        cloud.settle();
        const ref = { ...source, name: 'web-newer' };
        await pools.scaling.restore(ref, undefined);
        await hasOwners(ref);
      });
    });

    describe('deleting a pool', () => {
      test('is refused where another run made it', async () => {
        const ref = await createPool(subject);
        subject.cloud.settle();
        expect(await refusal(subject.pools.replacement.deletePool(ref, { onlyIfCreatedBy: 'run-2' }))).toBe('NotOwned');
        expect(await refusal(subject.pools.replacement.deletePool(subject.web, { onlyIfCreatedBy: 'run-1' }))).toBe(
          'NotOwned',
        );
        expect(await liveInstances(subject, ref)).toHaveLength(4);
      });

      test('is refused while it has instances, unless the run that asks has made it', async () => {
        const ref = await createPool(subject);
        subject.cloud.settle();
        expect(await refusal(subject.pools.replacement.deletePool(ref, {}))).toBe('ProviderRefused');
        expect(await refusal(subject.pools.replacement.deletePool(subject.web, {}))).toBe('ProviderRefused');
        await subject.pools.replacement.deletePool(ref, { onlyIfCreatedBy: 'run-1' });
        subject.cloud.settle();
        expect(await find(ref.name)).toBeUndefined();
      });

      test('may be asked for again while it goes on and after', async () => {
        const ref = await createPool(subject);
        subject.cloud.settle();
        const remove = async () => await subject.pools.replacement.deletePool(ref, { onlyIfCreatedBy: 'run-1' });
        await remove();
        expect((await subject.pools.describePool(ref)).status).toBe('deleting');
        await remove();
        subject.cloud.settle();
        await remove();
        expect(await find(ref.name)).toBeUndefined();
      });
    });
  });
}
