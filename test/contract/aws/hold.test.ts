import { AutoScalingClient, SuspendProcessesCommand } from '@aws-sdk/client-auto-scaling';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import type { NodePools } from '../../../ports/node-pools.ts';
import { type AwsBench, calls, openBench, pointSdkAt, problemOf, startForgetfulProxy, target } from './support.ts';

let bench: AwsBench;
let pools: NodePools;

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

test('holding suspends the processes, lowers the minimum and answers both', async () => {
  const held = await pools.holdRebalancing(bench.web);

  expect(held).toEqual([...everything, 'min-size:2']);
  expect([...group().suspended.keys()].sort()).toEqual([...everything].sort());
  expect(group().min).toBe(0);
  expect((await pools.describePool(bench.web)).status).toBe('active');
});

test('releasing puts back all of it and leaves no tag', async () => {
  const held = await pools.holdRebalancing(bench.web);

  await pools.releaseRebalancing(bench.web, held);
  await pools.releaseRebalancing(bench.web, held);

  expect([...group().suspended.keys()]).toEqual([]);
  expect([group().min, group().desired, group().max]).toEqual([2, 4, 8]);
  expect([...(tags()?.keys() ?? [])]).toEqual([]);
});

test('what others suspended is not answered and stays suspended', async () => {
  const operator = new AutoScalingClient({ region: 'eu-west-1' });
  await operator.send(
    new SuspendProcessesCommand({ AutoScalingGroupName: group().name, ScalingProcesses: ['AZRebalance'] }),
  );

  const held = await pools.holdRebalancing(bench.web);
  await pools.releaseRebalancing(bench.web, held);

  expect(held).not.toContain('AZRebalance');
  expect([...group().suspended.keys()]).toEqual(['AZRebalance']);
});

test('holding again answers the same, so that a repeated attempt loses nothing', async () => {
  const first = await pools.holdRebalancing(bench.web);

  expect(await pools.holdRebalancing(bench.web)).toEqual(first);
});

test('an attempt that dies half way is finished by the next one', async () => {
  const proxy = await startForgetfulProxy(bench.aws.url, (body) => body.includes('Action=SuspendProcesses'));
  pointSdkAt(proxy.url);
  const dying = createEksNodePools({ clock: bench.clock, maxAttempts: 1 });
  expect(await problemOf(dying.holdRebalancing(bench.web))).toMatchObject({ code: 'ProviderUnavailable' });
  await proxy.close();
  pointSdkAt(bench.aws.url);

  const held = await pools.holdRebalancing(bench.web);
  await pools.releaseRebalancing(bench.web, held);

  expect(held).toEqual([...everything, 'min-size:2']);
  expect([...group().suspended.keys()]).toEqual([]);
  expect(group().min).toBe(2);
});

test('releasing without a ledger entry puts back what the tag tells', async () => {
  await pools.holdRebalancing(bench.web);

  await pools.releaseRebalancing(bench.web, []);

  expect([...group().suspended.keys()]).toEqual([]);
  expect(group().min).toBe(2);
});

test('the minimum comes back no higher than the machines that are left, so that none is launched', async () => {
  const held = await pools.holdRebalancing(bench.web);
  for (const { instanceId } of (await pools.observeInstances(bench.web)).slice(0, 3)) {
    await pools.terminateInstance(bench.web, instanceId);
  }
  bench.cloudClock.advance(10_000);

  await pools.releaseRebalancing(bench.web, held);
  bench.cloudClock.advance(10_000);

  expect([group().min, group().desired]).toEqual([1, 1]);
  expect(await pools.observeInstances(bench.web)).toHaveLength(1);
});

test('a held pool keeps its machines where they are while single ones leave', async () => {
  await pools.holdRebalancing(bench.web);
  const inZoneA = (await pools.observeInstances(bench.web)).filter(({ zone }) => zone === 'eu-west-1a');

  for (const { instanceId } of inZoneA) await pools.terminateInstance(bench.web, instanceId);
  bench.cloudClock.advance(60_000);

  const left = await pools.observeInstances(bench.web);
  expect(left.map(({ zone }) => zone)).toEqual(['eu-west-1b', 'eu-west-1b']);
});

test('releasing a pool that is gone or going is fine', async () => {
  await pools.releaseRebalancing({ ...bench.web, name: 'gone' }, everything);
  const held = await pools.holdRebalancing(bench.web);
  for (const { instanceId } of await pools.observeInstances(bench.web)) {
    await pools.terminateInstance(bench.web, instanceId);
  }
  await pools.deletePool(bench.web, {});

  await pools.releaseRebalancing(bench.web, held);

  expect(calls(bench.aws, 'ResumeProcesses')).toEqual([]);
});

test('a pool that has no Auto Scaling group yet is a conflict that passes', async () => {
  const wanted = { ...bench.web, name: 'web-new' };
  await pools.createReplacement({ source: bench.web, target, size: 1, run: 'run-1', token: 't' });

  expect(await problemOf(pools.holdRebalancing(wanted))).toMatchObject({ code: 'Conflict' });
  bench.cloudClock.advance(10_000);
  expect(await pools.holdRebalancing(wanted)).toContain('min-size:1');
});

test('a change of sizes that EKS never finishes is reported after its time, not waited for', async () => {
  await bench.close();
  bench = await openBench({ delays: { nodegroupUpdateMs: 3_600_000 } });
  bench.cloudClock.advance(10_000);
  const impatient = createEksNodePools({ clock: bench.clock, updateTimeoutMs: 10_000 });

  expect(await problemOf(impatient.holdRebalancing(bench.web))).toMatchObject({
    code: 'ProviderUnavailable',
    message: expect.stringContaining('UPDATING'),
  });
});
