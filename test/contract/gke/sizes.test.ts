/** How a pool gets back the instances that a run has taken from it: changes of a managed instance group show only when their operation is done. */
import './tls-roots.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { liveZones } from '../../../core/model/pool.ts';
import { problemOf } from '../cases/refusal.ts';
import { calls, type GkeBench, openBench, seededPools } from './support.ts';

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
  test('get their instances again, at no cost of the other, although that makes more than were asked for', async () => {
    bench = await openBench({ zones: [b, c, d] });
    await bench.pools.scaling.suspend(bench.web);
    const gone = (await bench.pools.observeInstances(bench.web)).filter(({ zone }) => zone !== d);
    for (const { instanceId } of gone) await bench.pools.terminateInstance(bench.web, instanceId);
    bench.cloudClock.advance(10_000);
    const stayed = await bench.pools.observeInstances(bench.web);
    expect(stayed).toHaveLength(2);
    await bench.pools.size.restoreSize(bench.web, { size: 3 });
    bench.cloudClock.advance(10_000);
    expect(calls(bench.gcp, 'SetNodePoolSize').map(({ input }) => input['nodeCount'])).toEqual([2]);
    expect(await bench.pools.observeInstances(bench.web)).toEqual(expect.arrayContaining([...stayed]));
  });
});
