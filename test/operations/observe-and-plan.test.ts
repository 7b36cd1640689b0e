import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { createActivities } from '../../activities/activities.ts';
import { planClusterOfCaller } from '../../client/plan-cluster.ts';
import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { approvedPart } from '../../core/plan/approved-plan.ts';
import { refusal } from '../../core/plan/refusal.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { observeAndPlan } from '../../operations/observe-and-plan.ts';
import type { ManagedNodePools } from '../../ports/node-pools.ts';
import type { Ports } from '../../ports/ports.ts';
import { serviceNamed } from '../simulator/disturbances.ts';
import { targetPods } from '../simulator/pod-targets.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { addBatchPool, addClassicService, createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';

const policy = scenarioPolicy();

/** One world, planned for as the `plan` command does and as a run's preflight does. */
async function planBothWays(world: World, ports: Ports = createSimPorts(world), changes: Partial<Policy> = {}) {
  const policy = { ...scenarioPolicy(), ...changes };
  const { preflight } = createActivities(ports);
  const environment = new MockActivityEnvironment({ activityId: 'preflight' });
  const upgrade = await world.clock
    .act('preflight', async () => await environment.run(preflight, { run: 'run-1', policy }))
    .catch((error: unknown) => error);
  const open = () => planClusterOfCaller(ports);
  const sources = { pools: ports.pools, open };
  const { plan } = await world.clock.act('plan', async () => await observeAndPlan(sources, { policy, run: 'run-1' }));
  world.clock.stop();
  return { upgrade, plan };
}

test('a plan that takes the place of another accepts the Services that were named there, and no others', async () => {
  const world = createScenario();
  addClassicService(world, 'old', 'Local', { app: 'api' });
  const ports = createSimPorts(world);
  const sources = { pools: ports.pools, open: () => planClusterOfCaller(ports) };
  const accepting = { ...policy, accept: { 'SVC-028': 'drained by its owner' } };
  const planFor = async (accepted?: readonly string[]) =>
    await world.clock.act('plan', async () => {
      const question = { policy: accepting, run: 'run-1', ...(accepted && { accepted }) };
      return (await observeAndPlan(sources, question)).plan;
    });
  const first = await planFor();
  expect(refusal(first)).toBeUndefined();
  expect(first.findings).toContainEqual(
    expect.objectContaining({ subject: 'service default/old', accepted: 'drained by its owner' }),
  );
  const { acceptUnprotected } = first.policy.guard;
  expect(refusal(await planFor(acceptUnprotected))).toBeUndefined();
  addClassicService(world, 'new', 'Local', { app: 'web' });
  expect(refusal(await planFor(acceptUnprotected))?.message).toMatch(/1 blocker: SVC-028 service default\/new/);
  expect(refusal(await planFor())).toBeUndefined();
  world.clock.stop();
});

describe('the plan command and the preflight of a run', () => {
  test('make the same plan of the same scene', async () => {
    const { upgrade, plan } = await planBothWays(createScenario());
    expect(plan.nodes).toHaveLength(4);
    expect(upgrade).toMatchObject({ outcome: 'done', plan });
  });

  test.each([
    ['run-0', `an earlier run skipped nodes of ${policy.pool.name}`],
    [undefined, 'set spec.target.adopt: true'],
  ])(
    'both refuse where a pool with the new name exists already, created by %s, in the same words',
    async (creator, hint) => {
      const world = createScenario();
      const [web] = world.pools;
      if (web === undefined) throw new Error('no pool');
      const made = creator === undefined ? {} : { createdBy: creator };
      world.pools.push({ ...web, name: policy.target.poolName, desiredSize: 0, ...made });
      const { upgrade, plan } = await planBothWays(world);
      const refused = refusal(plan);
      expect(plan.findings).toContainEqual(expect.objectContaining({ rule: 'INF-017', severity: 'blocker' }));
      expect(refused?.message).toContain(`the new pool ${policy.target.poolName} exists already`);
      expect(refused?.hint).toContain(`Set spec.target.poolName to another name, such as ${policy.target.poolName}-2`);
      expect(refused?.hint).toContain(hint);
      expect(upgrade).toBeInstanceOf(ApplicationFailure);
      expect(upgrade).toMatchObject({ type: 'PreflightRefused', message: refused?.message });
    },
  );

  test('both say what subnets lack, or that nobody may read them', async () => {
    const messagesOf = async (findSubnets: ManagedNodePools['findSubnets']) => {
      const world = createScenario();
      const ports = createSimPorts(world);
      const pools = {
        ...ports.pools,
        capabilitiesOf: (ref: PoolRef) => ({ ...ports.pools.capabilitiesOf(ref), ...(findSubnets && { findSubnets }) }),
      };
      const { upgrade, plan } = await planBothWays(world, { ...ports, pools });
      expect(upgrade).toMatchObject({ outcome: 'done', plan });
      return plan.findings
        .filter(({ rule }) => rule === 'INF-006')
        .map(({ severity, message }) => `${severity} ${message}`);
    };
    expect(await messagesOf(async () => [{ name: 's', zone: 'a', cidr: '10.9.0.0/24', free: 3 }])).toEqual([
      'warning its subnets have 3 addresses free (s in a: 3), and 4 new nodes with the pods of the old ones need at least 4',
    ]);
    const refuse = async () => {
      throw new NodeferryError({ code: 'Forbidden', message: 'ec2:DescribeSubnets: not allowed' });
    };
    expect(await messagesOf(refuse)).toEqual([
      'info how many addresses its subnets have free is not known: ec2:DescribeSubnets: not allowed',
    ]);
    expect(await messagesOf(undefined)).toEqual([]);
  });

  test('both say what the pool is attached to, or that nobody may read it', async () => {
    const messagesOf = async (findAttached: ManagedNodePools['findAttached']) => {
      const world = createScenario();
      const ports = createSimPorts(world);
      const pools = {
        ...ports.pools,
        capabilitiesOf: (ref: PoolRef) => ({
          ...ports.pools.capabilitiesOf(ref),
          ...(findAttached && { findAttached }),
        }),
      };
      const { upgrade, plan } = await planBothWays(world, { ...ports, pools });
      expect(upgrade).toMatchObject({ outcome: 'done', plan });
      return plan.findings.filter(({ rule }) => rule === 'INF-022').map(({ severity }) => severity);
    };
    expect(await messagesOf(async () => ['shop'])).toEqual(['error']);
    const refuse = async () => {
      throw new NodeferryError({ code: 'Forbidden', message: 'compute.backendServices.list: not allowed' });
    };
    expect(await messagesOf(refuse)).toEqual(['info']);
    expect(await messagesOf(undefined)).toEqual([]);
  });

  test('both refuse an upgrade where no cloud is known, in the words of that provider', async () => {
    const world = createScenario();
    const changes = { pool: { ...policy.pool, provider: 'none' } };
    const { upgrade, plan } = await planBothWays(world, createSimPorts(world), changes);
    expect(refusal(plan)?.message).toContain('no cloud is known that could change its nodes');
    expect(refusal(plan)?.hint).toContain('Drain the nodes without terminating them');
    expect(upgrade).toMatchObject({ type: 'PreflightRefused', message: refusal(plan)?.message });
  });

  test('neither counts the nodes that another run brings up as serving in the long run', async () => {
    const baselineOf = async (isIncoming: boolean) => {
      const world = createScenario();
      addBatchPool(world);
      world.clock.advance(10 * 60_000);
      const lease = { holder: 'run-2', token: 1, expiresAt: world.clock.now() + 3_600_000 };
      if (isIncoming) world.leases.set('another-pool', { ...lease, incomingPool: 'batch' });
      const { upgrade, plan } = await planBothWays(world);
      expect(upgrade).toMatchObject({ outcome: 'done', plan });
      return plan.baselines.find(({ service }) => service === 'default/api')?.targets;
    };
    expect(await baselineOf(false)).toBe(6);
    expect(await baselineOf(true)).toBe(4);
  });
});

describe('pods whose labels admission does not let a run remove', () => {
  async function planDenied(prepare: (world: World) => void = () => undefined) {
    const world = createScenario();
    prepare(world);
    world.changed();
    world.clock.advance(5 * 60_000);
    world.denials.push({ workload: 'web', what: 'remove-endpoints', says: 'label app is required' });
    const ports = createSimPorts(world);
    const tried: string[] = [];
    const cluster: typeof ports.cluster = {
      ...ports.cluster,
      tryRemoveEndpoints: async (pod, labels) => {
        tried.push(`${pod.name.replace(/-.*/, '')} ${labels.join()}`);
        return await ports.cluster.tryRemoveEndpoints(pod, labels);
      },
    };
    const open = () => planClusterOfCaller({ ...ports, cluster });
    const planned = observeAndPlan({ pools: ports.pools, open }, { policy, run: 'plan' });
    const { plan } = await world.clock.act('plan', async () => await planned);
    world.clock.stop();
    expect(tried.toSorted()).toEqual(['api app', 'web app']);
    expect(world.log.filter((line) => line.endsWith('removed from endpoints'))).toEqual([]);
    return plan;
  }

  const told = 'because its labels may not be removed: label app is required';

  test('are tried once per workload, and found as pods that are told to stop while they are endpoints', async () => {
    const { findings, services } = await planDenied();
    expect(findings).toContainEqual(
      expect.objectContaining({ rule: 'WKL-008', severity: 'warning', message: expect.stringContaining(told) }),
    );
    expect(Object.fromEntries(services.map((one) => [one.service, one.removeEndpoints]))).toMatchObject({
      'default/web': false,
      'default/api': true,
    });
  });

  test('refuse the run where load balancers send to them', async () => {
    const plan = await planDenied((world) => targetPods(serviceNamed(world, 'web')));
    expect(plan.findings).toContainEqual(
      expect.objectContaining({ rule: 'WKL-034', severity: 'blocker', message: expect.stringContaining(told) }),
    );
    expect(refusal(plan)?.code).toBe('PreflightRefused');
  });
});

describe('a plan of somebody who may not change pods', () => {
  const forbid = async () => {
    throw new NodeferryError({ code: 'Forbidden', message: 'Not allowed to patch pods', hint: 'Add the verb patch.' });
  };

  /** A saved plan of that caller, and what the preflight of its run answers. */
  async function startFrom(mayTry: boolean) {
    const world = createScenario();
    world.clock.advance(5 * 60_000);
    world.denials.push({ workload: 'web', what: 'remove-endpoints', says: 'label app is required' });
    world.denials.push({ workload: 'api', what: 'release', says: 'label app is required' });
    const ports = createSimPorts(world);
    const cluster = { ...ports.cluster, ...(mayTry ? {} : { tryRelease: forbid, tryRemoveEndpoints: forbid }) };
    const open = () => planClusterOfCaller({ ...ports, cluster });
    const planned = observeAndPlan({ pools: ports.pools, open }, { policy, run: 'plan' });
    const { plan } = await world.clock.act('plan', async () => await planned);
    const { preflight } = createActivities(ports);
    const environment = new MockActivityEnvironment({ activityId: 'preflight' });
    const approved = approvedPart(plan);
    const upgrade = await world.clock
      .act('preflight', async () => await environment.run(preflight, { run: 'run-1', policy, approved }))
      .catch((error: unknown) => error);
    world.clock.stop();
    return { plan, upgrade };
  }

  test('says what was not tried and which right it needs, and a run starts from it', async () => {
    const { plan, upgrade } = await startFrom(false);
    expect(plan.findings).toContainEqual(
      expect.objectContaining({
        rule: 'INF-024',
        severity: 'info',
        message: expect.stringContaining('Not allowed to patch pods') as string,
        hint: expect.stringContaining('Add the verb patch.') as string,
      }),
    );
    expect(upgrade).toMatchObject({ outcome: 'done' });
    expect(JSON.stringify(upgrade)).toContain('its labels may not be removed: label app is required');
  });

  test('is not needed by those who may: their plan has what the run finds', async () => {
    const { plan, upgrade } = await startFrom(true);
    expect(plan.findings.map(({ rule }) => rule)).not.toContain('INF-024');
    expect(upgrade).toMatchObject({ outcome: 'done' });
  });
});

test('whoever may neither see Leases nor change pods can plan all the same', async () => {
  const world = createScenario();
  const ports = createSimPorts(world);
  const forbid = async () => {
    throw new NodeferryError({ code: 'Forbidden', message: 'not allowed' });
  };
  const cluster = { ...ports.cluster, findIncomingPools: forbid, tryRelease: forbid, tryRemoveEndpoints: forbid };
  const open = () => planClusterOfCaller({ ...ports, cluster });
  const planned = observeAndPlan({ pools: ports.pools, open }, { policy, run: 'plan' });
  expect((await world.clock.act('plan', async () => await planned)).plan.nodes).toHaveLength(4);
  world.clock.stop();
});
