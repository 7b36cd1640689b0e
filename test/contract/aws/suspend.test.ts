import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import type { Guarded, ManagedNodePools } from '../../../ports/node-pools.ts';
import { tokenOf } from '../../support/suspension.ts';
import { problemOf } from '../cases/refusal.ts';
import { type AwsBench, calls, openBench, pointSdkAt, startForgetfulProxy, target } from './support.ts';

let bench: AwsBench;
let pools: ManagedNodePools;

beforeEach(async () => {
  bench = await openBench();
  bench.cloudClock.advance(10_000);
  pools = createEksNodePools({ clock: bench.clock, maxAttempts: 2 });
});
afterEach(() => bench.close());

const group = () => {
  const name = bench.aws.model.nodegroups.get('web')?.autoScalingGroup ?? '';
  const found = bench.aws.model.autoScalingGroups.get(name);
  if (found === undefined) throw new Error('no group');
  return found;
};
const tags = () => bench.aws.model.nodegroups.get('web')?.tags;
const everything = ['AZRebalance', 'ReplaceUnhealthy', 'AlarmNotification', 'ScheduledActions', 'InstanceRefresh'];

test('restoring restores all of it and leaves no tag', async () => {
  const suspended = await pools.scaling.suspend(bench.web);

  await pools.scaling.restore(bench.web, suspended);
  await pools.scaling.restore(bench.web, suspended);

  expect([...group().suspended.keys()]).toEqual([]);
  expect([group().min, group().desired, group().max]).toEqual([2, 4, 8]);
  expect([...(tags()?.keys() ?? [])]).toEqual([]);
});

test('an attempt that dies half way is finished by the next one', async () => {
  const proxy = await startForgetfulProxy(bench.aws.url, (body) => body.includes('Action=SuspendProcesses'));
  pointSdkAt(proxy.url);
  const dying = createEksNodePools({ clock: bench.clock, maxAttempts: 1 });
  expect(await problemOf(dying.scaling.suspend(bench.web))).toMatchObject({ code: 'ProviderUnavailable' });
  await proxy.close();
  pointSdkAt(bench.aws.url);

  const suspended = await pools.scaling.suspend(bench.web);
  await pools.scaling.restore(bench.web, suspended);

  expect(suspended).toEqual([...everything, 'min-size:2']);
  expect([...group().suspended.keys()]).toEqual([]);
  expect(group().min).toBe(2);
});

test('releasing a pool that is gone or going is fine', async () => {
  await pools.scaling.restore({ ...bench.web, name: 'gone' }, tokenOf(...everything));
  const suspended = await pools.scaling.suspend(bench.web);
  for (const { instanceId } of await pools.observeInstances(bench.web)) {
    await pools.terminateInstance(bench.web, instanceId);
  }
  await pools.replacement.deletePool(bench.web, {});

  await pools.scaling.restore(bench.web, suspended);

  expect(calls(bench.aws, 'ResumeProcesses')).toEqual([]);
});

test('a change of sizes that EKS never finishes is reported after its time, not waited for', async () => {
  await bench.close();
  bench = await openBench({ delays: { nodegroupUpdateMs: 3_600_000 } });
  bench.cloudClock.advance(10_000);
  const impatient = createEksNodePools({ clock: bench.clock, updateTimeoutMs: 10_000 });

  expect(await problemOf(impatient.scaling.suspend(bench.web))).toMatchObject({
    code: 'ProviderUnavailable',
    message: expect.stringContaining('UPDATING'),
  });
});

test.each([
  ['requests instances', async (guard: Guarded) => await pools.size.restoreSize(bench.web, { size: 6, ...guard })],
  ['suspends a pool', async (guard: Guarded) => await pools.scaling.suspend(bench.web, guard)],
  [
    'creates a pool',
    async (guard: Guarded) =>
      await pools.replacement.createPool({ source: bench.web, target, size: 4, run: 'run-1', token: 't', ...guard }),
  ],
])('whoever may change nothing any more neither %s nor leaves a tag', async (_what, act) => {
  const before = [group().desired, group().min, ...group().suspended.keys()];
  const beforeChange = async () => {
    throw new Error('too late');
  };
  await expect(act({ beforeChange })).rejects.toThrow('too late');
  bench.cloudClock.advance(60_000);
  expect([group().desired, group().min, ...group().suspended.keys()]).toEqual(before);
  expect([...bench.aws.model.nodegroups.keys()]).not.toContain('web-new');
  expect([...(tags()?.keys() ?? [])]).toEqual([]);
});
