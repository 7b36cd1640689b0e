import {
  AutoScalingClient,
  CompleteLifecycleActionCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEksNodePools } from '../../../adapters/eks/node-pools.ts';
import type { ManagedNodePools } from '../../../ports/node-pools.ts';
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

const terminations = () => calls(bench.aws, 'TerminateInstanceInAutoScalingGroup');
const firstOf = async (name: string) => (await pools.observeInstances({ ...bench.web, name }))[0]?.instanceId ?? '';

test('a second call says already and counts nothing down, while it goes on and after', async () => {
  const victim = await firstOf('web');
  await pools.terminateInstance(bench.web, victim);

  expect(await pools.terminateInstance(bench.web, victim)).toEqual({ outcome: 'already' });
  bench.cloudClock.advance(60_000);
  expect(await pools.terminateInstance(bench.web, victim)).toEqual({ outcome: 'already' });
  expect(terminations()).toHaveLength(1);
  expect((await pools.describePool(bench.web)).desiredSize).toBe(3);
});

/** EKS gives each of its groups a hook, and completes its action when it has drained the node. */
function addHook(name: string, terminationHookMs: number) {
  const group = [...bench.aws.model.autoScalingGroups.values()].find(({ nodegroup }) => nodegroup === name);
  if (group === undefined) throw new Error(`no group of ${name}`);
  group.terminationHookMs = terminationHookMs;
  return group;
}

test('an instance that a lifecycle hook keeps running is terminating, and counts down once', async () => {
  addHook('web', 30 * 60_000);
  const victim = await firstOf('web');
  await pools.terminateInstance(bench.web, victim);

  expect(bench.aws.model.instances.get(victim)?.state).toBe('running');
  expect(await pools.observeInstance(bench.web, victim)).toBe('terminating');
  expect(await pools.terminateInstance(bench.web, victim)).toEqual({ outcome: 'already' });
  bench.cloudClock.advance(31 * 60_000);
  expect(await pools.observeInstance(bench.web, victim)).toBe('terminated');
  expect((await pools.describePool(bench.web)).desiredSize).toBe(3);
});

test('an instance whose hook has been completed ends before the time of the hook is over', async () => {
  const { name } = addHook('web', 30 * 60_000);
  const victim = await firstOf('web');
  await pools.terminateInstance(bench.web, victim);
  const eks = new AutoScalingClient({ region: 'eu-west-1', endpoint: bench.aws.url });
  const action = { AutoScalingGroupName: name, LifecycleHookName: 'Terminate-LC-Hook', InstanceId: victim };
  await eks.send(new CompleteLifecycleActionCommand({ ...action, LifecycleActionResult: 'CONTINUE' }));

  bench.cloudClock.advance(60_000);
  expect(await pools.observeInstance(bench.web, victim)).toBe('terminated');
});

test('refuses an instance of another pool', async () => {
  const foreign = await firstOf('other');

  const problem = await problemOf(pools.terminateInstance(bench.web, foreign));

  expect(problem).toMatchObject({ code: 'NotOwned', message: expect.stringContaining(foreign) });
  expect(terminations()).toEqual([]);
});

test('an instance that leaves between our check and our call is not called ours', async () => {
  const victim = await firstOf('web');
  const operator = new AutoScalingClient({ region: 'eu-west-1', endpoint: bench.aws.url });
  const raced = await startRacingProxy(victim, operator);
  pointSdkAt(raced.url);

  const outcome = await createEksNodePools({ clock: bench.clock }).terminateInstance(bench.web, victim);

  expect(outcome).toEqual({ outcome: 'terminating' });
  expect(bench.aws.model.nodegroups.get('web')?.scaling.desired).toBe(3);
  await raced.close();
});

/** Lets somebody else terminate the instance when our own request is on its way. */
async function startRacingProxy(victim: string, operator: AutoScalingClient) {
  let raced = false;
  return startForgetfulProxy(bench.aws.url, (body) => {
    if (raced || !body.includes('Action=DescribeAutoScalingGroups')) return false;
    raced = true;
    void operator.send(
      new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: victim, ShouldDecrementDesiredCapacity: true }),
    );
    return false;
  });
}

test('an answer that is lost after the termination took effect counts down once', async () => {
  const victim = await firstOf('web');
  let lost = 0;
  const proxy = await startForgetfulProxy(bench.aws.url, (body) => {
    if (!body.includes('Action=TerminateInstanceInAutoScalingGroup')) return false;
    lost += 1;
    return lost === 1;
  });
  pointSdkAt(proxy.url);

  const outcome = await createEksNodePools({ clock: bench.clock }).terminateInstance(bench.web, victim);

  expect(outcome).toEqual({ outcome: 'terminating' });
  expect(terminations()).toHaveLength(1);
  expect((await pools.describePool(bench.web)).desiredSize).toBe(3);
  await proxy.close();
});

test('a pool at its minimum whose scaling is not suspended keeps its instances, and says what to do', async () => {
  const [first, second, third] = (await pools.observeInstances(bench.web)).map(({ instanceId }) => instanceId);
  await pools.terminateInstance(bench.web, first ?? '');
  await pools.terminateInstance(bench.web, second ?? '');

  const problem = await problemOf(pools.terminateInstance(bench.web, third ?? ''));

  expect(problem).toMatchObject({
    code: 'ProviderRefused',
    hint: expect.stringContaining('Suspend scaling first'),
  });
  expect((await pools.describePool(bench.web)).desiredSize).toBe(2);
});

test('a replacement that never becomes whole can be emptied at once, though EKS takes no change of it', async () => {
  const wanted = { ...bench.web, name: 'web-new' };
  bench.aws.faults.neverJoin(2);
  await pools.replacement.createPool({ source: bench.web, target, size: 2, run: 'run-1', token: 't' });
  bench.cloudClock.advance(10_000);
  expect((await pools.describePool(wanted)).status).toBe('creating');

  for (const { instanceId } of await pools.observeInstances(wanted)) await pools.terminateInstance(wanted, instanceId);

  expect(bench.aws.model.nodegroups.get('web-new')?.scaling).toMatchObject({ min: 0, desired: 0 });
  expect(calls(bench.aws, 'UpdateNodegroupConfig')).toEqual([]);
});
