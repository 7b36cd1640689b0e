/** How a pool gets back the instances that a run has taken from it: changes of a managed instance group show only when their operation is done. */
import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { liveZones } from '../../../core/model/pool.ts';
import { problemOf } from '../cases/refusal.ts';
import { calls, type GkeBench, openBench, poolIn, seededPools, target } from './support.ts';

const [b, c, d] = ['europe-west1-b', 'europe-west1-c', 'europe-west1-d'] as const;
const resize = 'instanceGroupManagers.resize';

let bench: GkeBench;
beforeEach(async () => {
  bench = await openBench({ zones: [b, c, d], pools: [{ ...seededPools[0], initialNodeCount: 4 }] });
  await bench.pools.scaling.suspend(bench.web);
});

const settle = () => bench.cloudClock.advance(10_000);
const instances = async () => await bench.pools.observeInstances(bench.web);
const zones = async () => liveZones(await bench.pools.describePool(bench.web));
const end = async (ids: readonly string[]) => {
  for (const id of ids) await bench.pools.terminateInstance(bench.web, id);
};
/** Ends all instances but so many of each zone. */
const keep = async (counts: Readonly<Record<string, number>>) => {
  const all = await instances();
  for (const [zone, count] of Object.entries(counts))
    await end(
      all
        .filter((one) => one.zone === zone)
        .slice(count)
        .map(({ instanceId }) => instanceId),
    );
  settle();
  expect(await zones()).toEqual(counts);
  return await instances();
};
const restore = async (request: Parameters<typeof bench.pools.size.restoreSize>[1]) =>
  await bench.pools.size.restoreSize(bench.web, request);

describe('a pool whose zones differ', () => {
  const planned = { [b]: 4, [c]: 1, [d]: 1 };

  test('gets back what each zone had, and no VM of another zone pays for it', async () => {
    const stayed = await keep({ [b]: 2, [c]: 1, [d]: 1 });
    await restore({ size: 6, zones: planned });
    settle();
    expect(await zones()).toEqual(planned);
    expect(await instances()).toEqual(expect.arrayContaining([...stayed]));
    expect(calls(bench.gcp, 'SetNodePoolSize')).toEqual([]);
  });

  test('gets it back also where a worker has died after it had asked', async () => {
    const stayed = await keep({ [b]: 2, [c]: 1, [d]: 1 });
    bench.gcp.faults.fail('forbidden', { method: 'zoneOperations.get' });
    expect(await problemOf(restore({ size: 6, zones: planned }))).toMatchObject({ code: 'Forbidden' });
    await bench.restart().size.restoreSize(bench.web, { size: 6, zones: planned });
    settle();
    expect(await zones()).toEqual(planned);
    expect(await instances()).toEqual(expect.arrayContaining([...stayed]));
    expect(calls(bench.gcp, resize)).toHaveLength(1);
  });

  test('gets as many as were asked for although it has left a zone', async () => {
    await keep({ [b]: 2, [c]: 1, [d]: 1 });
    await restore({ size: 6, zones: { ...planned, [d]: 0, 'europe-west1-a': 1 } });
    settle();
    expect((await bench.pools.describePool(bench.web)).desiredSize).toBe(6);
    expect(calls(bench.gcp, 'SetNodePoolSize')).toEqual([]);
  });

  test('is not restored while a change of a group lasts, and says which', async () => {
    await keep({ [b]: 2, [c]: 1, [d]: 1 });
    Object.assign(bench.gcp.model, { delays: { ...bench.gcp.model.delays, computeOperationMs: 3_600_000 } });
    expect(await problemOf(restore({ size: 6, zones: planned }))).toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(
        new RegExp(`compute.instanceGroupManagers.resize operation-\\S+ in ${b} still runs`),
      ),
      hint: expect.stringContaining('gcloud compute operations list'),
    });
    expect(calls(bench.gcp, 'SetNodePoolSize')).toEqual([]);
  });
});

describe('instances whose end has only been asked for', () => {
  test.each([
    ['by zone', { [b]: 1, [c]: 1, [d]: 1 }],
    ['in all', undefined],
  ])('are requested again, %s', async (_how, needs) => {
    const before = await keep({ [b]: 1, [c]: 1, [d]: 1 });
    await end(before.map(({ instanceId }) => instanceId));
    await restore({ size: 3, ...(needs && { zones: needs }) });
    settle();
    expect(await zones()).toEqual({ [b]: 1, [c]: 1, [d]: 1 });
    const ids = before.map(({ instanceId }) => instanceId);
    expect((await instances()).filter(({ instanceId }) => ids.includes(instanceId))).toEqual([]);
  });
});

describe('zones that have lost more than another', () => {
  test('get their instances again, at no cost of the other, and no more than were asked for', async () => {
    bench = await openBench({ zones: [b, c, d] });
    await bench.pools.scaling.suspend(bench.web);
    const gone = (await bench.pools.observeInstances(bench.web)).filter(({ zone }) => zone !== d);
    for (const { instanceId } of gone) await bench.pools.terminateInstance(bench.web, instanceId);
    bench.cloudClock.advance(10_000);
    const stayed = await bench.pools.observeInstances(bench.web);
    expect(stayed).toHaveLength(2);
    await bench.pools.size.restoreSize(bench.web, { size: 3 });
    bench.cloudClock.advance(10_000);
    expect(await instances()).toEqual(expect.arrayContaining([...stayed]));
    expect(await zones()).toEqual({ [b]: 1, [c]: 0, [d]: 2 });
  });
});

test('a group does not grow once the caller may not change anything any more', async () => {
  const beforeChange = async () => {
    throw new Error('too late');
  };
  await end((await instances()).slice(0, 1).map(({ instanceId }) => instanceId));
  await expect(restore({ size: 12, beforeChange })).rejects.toThrow('too late');
  expect(calls(bench.gcp, resize)).toEqual([]);
});

describe('zones that differ by one', () => {
  test.each([
    ['which is known', { [b]: 2, [c]: 1, [d]: 1 }],
    ['which is not known', undefined],
  ])('get back as many instances as they had, %s', async (_how, needs) => {
    await keep({ [b]: 2, [c]: 1, [d]: 1 });
    const ended = (await instances()).find(({ zone }) => zone === d);
    await end([ended?.instanceId ?? '']);
    await restore({ size: 4, ...(needs && { zones: needs }) });
    settle();
    expect(await zones()).toEqual({ [b]: 2, [c]: 1, [d]: 1 });
  });
});

describe('a replacement that may never have more instances than were asked for', () => {
  const create = async (size: number) => {
    const request = { source: bench.web, target, run: 'run-1', token: 'run-1/surge', isLimit: true };
    await bench.pools.replacement.createPool({ ...request, size });
    settle();
    return { ...bench.web, name: target.poolName };
  };
  const sizes = async (ref: typeof bench.web) => Object.values(liveZones(await bench.pools.describePool(ref)));

  test('has one, although GKE creates as many in each zone, and grows by one', async () => {
    const ref = await create(1);
    expect(calls(bench.gcp, 'CreateNodePool')[0]?.input['nodePool']).not.toHaveProperty('initialNodeCount', 1);
    expect(await sizes(ref)).toEqual([1, 0, 0]);
    await create(1);
    expect(await sizes(ref)).toEqual([1, 0, 0]);
    for (const [size, expected] of [
      [2, [1, 1, 0]],
      [4, [2, 1, 1]],
    ] as const) {
      await bench.pools.replacement.resize(ref, { size, run: 'run-1' });
      settle();
      expect(await sizes(ref)).toEqual(expected);
    }
    expect(poolIn(bench.gcp, ref.name).spec.autoscaling).toMatchObject({ totalMinNodeCount: 4, totalMaxNodeCount: 12 });
    expect(await bench.pools.describePool(ref)).toMatchObject({ minSize: 3, maxSize: 12 });
  });

  test('has them from the beginning where each zone gets as many', async () => {
    expect(await sizes(await create(3))).toEqual([1, 1, 1]);
    expect(calls(bench.gcp, 'CreateNodePool')[0]?.input['nodePool']).toMatchObject({ initialNodeCount: 1 });
    expect(calls(bench.gcp, resize)).toEqual([]);
  });

  test('gets them also from another worker when one has died before', async () => {
    bench.gcp.faults.fail('forbidden', { method: resize });
    expect(await problemOf(create(1))).toMatchObject({ code: 'Forbidden' });
    expect(await sizes(await create(1))).toEqual([1, 0, 0]);
    expect(calls(bench.gcp, 'CreateNodePool')).toHaveLength(1);
  });
});
