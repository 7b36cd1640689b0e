import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { liveZones, type SuspensionToken } from '../../../core/model/pool.ts';
import { autoScalingGroups, type PoolTraits } from './pool-traits.ts';
import { liveInstances, type OpenPools, type PoolsSubject } from './pools-subject.ts';
import { refusal } from './refusal.ts';

/** How a pool whose scaling is suspended, and that has lost instances to a run, gets them back. */
export function describePoolRegrowth(where: string, open: OpenPools, traits: PoolTraits = autoScalingGroups): void {
  describe(`the size of a pool of ${where}`, () => {
    let subject: PoolsSubject;
    let suspended: SuspensionToken;
    beforeEach(async () => {
      subject = await open();
      suspended = await subject.pools.scaling.suspend(subject.web);
    });
    afterEach(async () => await subject.close());
    const web = async () => await subject.pools.describePool(subject.web);
    const live = async () => await liveInstances(subject, subject.web);
    const restore = async (size: number) => await subject.pools.size.restoreSize(subject.web, { size });
    const end = async (count: number) => {
      for (const id of (await live()).slice(0, count)) await subject.pools.terminateInstance(subject.web, id);
      subject.cloud.settle();
    };
    const sizesOfZones = async () => {
      const instances = await subject.pools.observeInstances(subject.web);
      const inZone = (zone: string) => instances.filter((one) => one.zone === zone && one.state === 'running').length;
      return traits.zones.map(inZone);
    };

    test.each([1, 3, 4])('is restored after %i instances have gone, with those that stayed', async (gone) => {
      await end(gone);
      const stayed = await live();
      expect(stayed).toHaveLength(4 - gone);
      await restore(4);
      subject.cloud.settle();
      expect(await live()).toHaveLength(4);
      expect(await live()).toEqual(expect.arrayContaining([...stayed]));
      expect(await web()).toMatchObject({ status: 'active', desiredSize: 4, minSize: 0, maxSize: 8, problems: [] });
    });

    test('is restored in the zones that have lost most, although nothing is rebalanced', async () => {
      const instances = await subject.pools.observeInstances(subject.web);
      for (const { instanceId, zone } of instances)
        if (zone === traits.zones[0]) await subject.pools.terminateInstance(subject.web, instanceId);
      subject.cloud.settle();
      await restore(4);
      subject.cloud.settle();
      expect(await sizesOfZones()).toEqual([2, 2]);
    });

    test('is restored in a zone that has lost its instances, as far as the cloud can choose zones', async () => {
      const [first, second] = traits.zones;
      const needs = { [first]: 3, [second]: 1 };
      await end(4);
      await subject.pools.size.restoreSize(subject.web, { size: 4, zones: needs });
      subject.cloud.settle();
      expect(liveZones(await web())).toEqual(traits.grows(needs));
      expect((await web()).desiredSize).toBe(4);
    });

    test('may be restored again, and is never lowered', async () => {
      await end(2);
      await restore(4);
      await restore(4);
      await restore(3);
      subject.cloud.settle();
      await restore(2);
      expect(await live()).toHaveLength(4);
      expect(await web()).toMatchObject({ desiredSize: 4, maxSize: 8 });
    });

    test('is not restored above the maximum that the owner of the pool has set', async () => {
      expect(await refusal(restore(9))).toBe('ProviderRefused');
      expect(await web()).toMatchObject({ desiredSize: 4, maxSize: 8 });
    });

    test('is restored with the minimum, and with everything that was suspended', async () => {
      await end(3);
      await restore(4);
      subject.cloud.settle();
      expect(await subject.pools.scaling.restore(subject.web, suspended)).toEqual([]);
      expect(subject.cloud.suspended(subject.web)).toEqual([]);
      const facts = await web();
      expect(facts).toMatchObject({ desiredSize: 4, minSize: 2, maxSize: 8 });
      expect(facts.suspended).toBeUndefined();
    });

    test('for which there are no instances says so; the pool can do without them, and grow again later', async () => {
      await end(2);
      const stayed = await live();
      subject.cloud.refuseLaunches();
      await restore(4);
      subject.cloud.begin();
      expect((await web()).problems.join()).toMatch(traits.noCapacity);
      await subject.pools.size.trimPool(subject.web);
      expect(await web()).toMatchObject({ desiredSize: 2 });
      expect(subject.cloud.suspended(subject.web)).toEqual(expect.arrayContaining([...traits.trimSuspends]));
      expect(await live()).toEqual(stayed);
      subject.cloud.allowLaunches();
      await restore(4);
      subject.cloud.settle();
      expect(await live()).toHaveLength(4);
      expect(subject.cloud.suspended(subject.web)).not.toContain('Launch');
      await subject.pools.scaling.restore(subject.web, suspended);
      expect(subject.cloud.suspended(subject.web)).toEqual([]);
    });

    test.runIf(traits.suspendsLaunching)('is not restored where somebody else has suspended launching', async () => {
      await end(1);
      await subject.cloud.suspend(subject.web, 'Launch');
      expect(await refusal(restore(4))).toBe('ProviderRefused');
      expect(await web()).toMatchObject({ desiredSize: 3 });
    });

    test('of a pool that is not there is PoolNotFound', async () => {
      expect(await refusal(subject.pools.size.restoreSize({ ...subject.web, name: 'nope' }, { size: 4 }))).toBe(
        'PoolNotFound',
      );
    });
  });
}
